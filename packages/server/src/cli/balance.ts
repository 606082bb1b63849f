import { Command } from 'commander'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'
import { type OutputFlags, output, withJson } from './output.ts'

export function balanceCommand(): Command {
  return withJson(withGateway(new Command('balance')))
    .description('Show what the wallet can still spend.')
    .action(showBalance)
}

async function showBalance(flags: GatewayFlags & OutputFlags): Promise<void> {
  const balance = await withClient(flags, (client) => client.getBalance())
  output(flags, balance, `${balance.balance} ${balance.currency}`)
}
