import { MessageTimeoutError, openInbox, type ReceivedMessage } from '@wigwag/sdk/testing'
import { Command, InvalidArgumentError, Option } from 'commander'
import { readSpan, SECOND_MS } from '../../kernel/time/spans.ts'
import { recipient, seconds, ticket } from '../arguments.ts'
import { Failed, type OutputFlags, output, withJson } from '../terminal.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'

type Flags = GatewayFlags & OutputFlags

interface WaitFlags extends Flags {
  to: string
  code?: true
  match?: RegExp
  after?: string
  timeout: number
}

const WAIT_MS = 30 * SECOND_MS

export function nowCommand(): Command {
  return withJson(withGateway(new Command('now')))
    .description('Print where the messages end at this moment, for --after of wait.')
    .addHelpText('after', '\nIt is a cursor and no time: the clock of a sandbox may be ahead of yours.')
    .action(printNow)
}

function printNow(flags: Flags): Promise<void> {
  return withClient(flags, async (client) => {
    const cursor = await (await openInbox(client)).now()
    output(flags, { cursor }, cursor)
  })
}

export function waitCommand(): Command {
  return withJson(withGateway(new Command('wait')))
    .description('Wait for a message to a number, and print its text.')
    .requiredOption('--to <number>', 'the number with its country code', recipient)
    .option('--code', 'print only the code in the text')
    .option(
      '--match <pattern>',
      'only a text that this regular expression matches; its first group is the code',
      pattern,
    )
    .option('--after <cursor>', 'only what was sent after wigwag sandbox now (default: from now on)', ticket)
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(waitTime).default(WAIT_MS, '30s'))
    .addHelpText(
      'after',
      `
The first such message is printed. A code is a number of 4 to 8 digits that stands alone, or of several
the one that the text calls a code, PIN, OTP or password. Exit code 1: none came in time.

  $ before=$(wigwag sandbox now)
  $ wigwag sandbox wait --to 233241234567 --code --after "$before"`,
    )
    .action(wait)
}

async function wait({ to, code, match, after, timeout, ...flags }: WaitFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const inbox = await openInbox(client, after)
    const received = await inbox.waitForMessage({ to, match, timeout }).catch((error: unknown) => {
      throw error instanceof MessageTimeoutError ? new Failed(error.message) : error
    })
    output(flags, received, code ? codeOf(received) : received.text)
  })
}

function codeOf({ code, text }: ReceivedMessage): string {
  if (code !== undefined) return code
  throw new Failed(
    `expected one number that is the code in ${JSON.stringify(text)}; name it by a group of --match`,
  )
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error))
  }
}

/** Milliseconds, from a time such as `30s` or from seconds, as other commands take them. */
function waitTime(text: string): number {
  return readSpan(text) ?? seconds(text) * SECOND_MS
}
