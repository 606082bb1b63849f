import { Command } from 'commander'
import { type OutputFlags, output, withJson } from '../terminal.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'

export function balanceCommand(): Command {
  return withJson(withGateway(new Command('balance')))
    .description('Show the balance of the wallet.')
    .action(showBalance)
}

async function showBalance(flags: GatewayFlags & OutputFlags): Promise<void> {
  const balance = await withClient(flags, (client) => client.getBalance())
  output(flags, balance, `${balance.balance} ${balance.currency}`)
}
