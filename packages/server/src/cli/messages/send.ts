import { type Client, TimeoutError, type Transaction } from '@wigwag/sdk'
import { Command } from 'commander'
import { moneyOfDecimal } from '../../kernel/money/shown.ts'
import { idempotencyKey, seconds, webUrl } from '../arguments.ts'
import { Failed, lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type GatewayFlags, senderOf, withClient, withGateway } from './gateway-client.ts'

interface SendFlags extends GatewayFlags, OutputFlags, WaitFlags {
  from?: string
  to: string
  content: string
  reference?: string
  callbackUrl?: string
  idempotencyKey?: string
}

export function sendCommand(): Command {
  const command = new Command('send')
    .description('Send one message.')
    .option('--from <sender>', 'a sender ID that is approved for the account (WIGWAG_FROM)')
    .requiredOption('--to <number>', 'the number with its country code')
    .requiredOption('--content <text>', 'the text of the message')
    .option('--reference <text>', 'your reference for the message')
    .option('--callback-url <url>', 'called when the message is final', webUrl)
    .option('--idempotency-key <key>', 'a send repeated with the same key goes out only once', idempotencyKey)
  return withJson(withGateway(withWait(command))).action(send)
}

async function send(flags: SendFlags): Promise<void> {
  const { to, content, reference, callbackUrl, idempotencyKey: key } = flags
  const message = {
    From: senderOf(flags),
    To: to,
    Content: content,
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

export function balanceCommand(): Command {
  return withJson(withGateway(new Command('balance')))
    .description('Show the balance of the wallet.')
    .action(showBalance)
}

async function showBalance(flags: GatewayFlags & OutputFlags): Promise<void> {
  const balance = await withClient(flags, (client) => client.getBalance())
  output(flags, balance, moneyOfDecimal(balance.balance, balance.currency))
}

interface WaitFlags {
  wait?: true
  timeout: number
}

function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until the message is final; exit code 1: it was not delivered')
    .option('--timeout <seconds>', 'how long to wait', seconds, 60)
}

/** Waits until a message is final. */
async function waitFor(client: Client, ticket: string, { timeout }: WaitFlags): Promise<Transaction> {
  try {
    return await client.waitForFinal(ticket, { timeout: timeout * 1_000 })
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    throw new Failed(
      `${ticket} is not final after ${timeout} s; to continue, run wigwag status ${ticket} --wait`,
    )
  }
}

/** Fails the command when a message waited for was not delivered. */
function refuseUndelivered({ MessageId, Status }: Transaction): void {
  if (Status !== 'success') throw new Failed(`${MessageId} was not delivered: ${Status}`)
}
