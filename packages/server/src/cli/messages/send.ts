import { Command } from 'commander'
import { idempotencyKey, webUrl } from '../arguments.ts'
import { lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type GatewayFlags, senderOf, withClient, withGateway } from './gateway-client.ts'
import { refuseUndelivered, type WaitFlags, waitFor, withWait } from './wait-for-status.ts'

interface SendFlags extends GatewayFlags, OutputFlags, WaitFlags {
  from?: string
  to: string
  text: string
  reference?: string
  callbackUrl?: string
  idempotencyKey?: string
}

export function sendCommand(): Command {
  const command = new Command('send')
    .description('Send one message.')
    .option('--from <sender>', 'a sender ID that is approved for the account (WIGWAG_FROM)')
    .requiredOption('--to <number>', 'the number with its country code')
    .requiredOption('--text <text>', 'the text of the message')
    .option('--reference <text>', 'your reference for the message')
    .option('--callback-url <url>', 'called when the message is final', webUrl)
    .option('--idempotency-key <key>', 'a send repeated with the same key goes out only once', idempotencyKey)
  return withJson(withGateway(withWait(command))).action(send)
}

async function send(flags: SendFlags): Promise<void> {
  const { to, text, reference, callbackUrl, idempotencyKey: key } = flags
  const message = {
    From: senderOf(flags),
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
