import { Command } from 'commander'
import { idempotencyKey, webUrl } from './arguments.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'
import { lines, type OutputFlags, output, withJson } from './output.ts'
import { say } from './terminal.ts'
import { refuseUndelivered, type WaitFlags, waitFor, withWait } from './waiting.ts'

interface SendFlags extends GatewayFlags, OutputFlags, WaitFlags {
  from: string
  to: string
  text: string
  reference?: string
  callbackUrl?: string
  idempotencyKey?: string
}

export function sendCommand(): Command {
  const command = new Command('send')
    .description('Send one message.')
    .requiredOption('--from <sender>', 'a sender ID that is approved for the account')
    .requiredOption('--to <number>', 'country code and number, digits only')
    .requiredOption('--text <text>', 'what it says')
    .option('--reference <text>', 'your own name for the message')
    .option('--callback-url <url>', 'who is told when the message is final', webUrl)
    .option('--idempotency-key <key>', 'repeat a send with the same key and it goes out once', idempotencyKey)
  return withJson(withGateway(withWait(command))).action(send)
}

async function send(flags: SendFlags): Promise<void> {
  const { from, to, text, reference, callbackUrl, idempotencyKey: key } = flags
  const message = {
    From: from,
    To: to,
    Content: text,
    ...(reference === undefined ? {} : { Reference: reference }),
    ...(callbackUrl === undefined ? {} : { CallbackUrl: callbackUrl }),
  }
  await withClient(flags, async (client) => {
    const sent = await client.sendSms(message, { idempotencyKey: key })
    if (!flags.wait) return output(flags, sent, lines(Object.entries(sent)))
    say(`Accepted as ${sent.Ticket}; waiting until it is final …`)
    const final = await waitFor(client, sent.Ticket, flags)
    output(flags, final, lines(Object.entries(final)))
    refuseUndelivered(final)
  })
}
