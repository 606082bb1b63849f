import { Command } from 'commander'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'
import { lines, type OutputFlags, output, withJson } from './output.ts'
import { refuseUndelivered, type WaitFlags, waitFor, withWait } from './waiting.ts'

type StatusFlags = GatewayFlags & OutputFlags & WaitFlags

export function statusCommand(): Command {
  const command = new Command('status')
    .description('Show what became of a message.')
    .argument('<ticket>', 'the Ticket that the send was answered with')
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
