import { Command } from 'commander'
import { lines, type OutputFlags, output, withJson } from '../terminal.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'
import { refuseUndelivered, type WaitFlags, waitFor, withWait } from './wait-for-status.ts'

type StatusFlags = GatewayFlags & OutputFlags & WaitFlags

export function statusCommand(): Command {
  const command = new Command('status')
    .description('Show the status of a message.')
    .argument('<ticket>', 'the Ticket that the send returned')
  return withJson(withGateway(withWait(command))).action(showStatus)
}

async function showStatus(ticket: string, flags: StatusFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const transaction = flags.wait
      ? await waitFor(client, ticket, flags)
      : await client.getTransactionStatus(ticket)
    output(flags, transaction, lines(Object.entries(transaction)))
    if (flags.wait) refuseUndelivered(transaction)
  })
}
