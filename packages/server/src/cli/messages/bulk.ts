import type { BulkSmsMessage, Client } from '@wigwag/sdk'
import { Command } from 'commander'
import { idempotencyKey, webUrl } from '../arguments.ts'
import { startProgress } from '../progress-bar.ts'
import { Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { readCsv, refuseMistakes } from './csv-file.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'

interface BulkFlags extends GatewayFlags, OutputFlags {
  from: string
  text: string
  callbackUrl?: string
  idempotencyKey?: string
}

/** Small enough to show progress, large enough to need few requests. */
const PART_SIZE = 1_000

export function bulkCommand(): Command {
  const command = new Command('bulk')
    .description('Send one text to every recipient in a CSV file. Exit code 3: only a part was accepted.')
    .argument('<file>', 'with the column To and optionally Reference; others are ignored')
    .requiredOption('--from <sender>', 'a sender ID that is approved for the account')
    .requiredOption('--text <text>', 'the text of the message')
    .option('--callback-url <url>', 'called when each message is final', webUrl)
    .option(
      '--idempotency-key <key>',
      'the key of an earlier run of the same file, so that no one gets the text twice',
      idempotencyKey,
    )
  return withJson(withGateway(command)).action(sendBulk)
}

async function sendBulk(file: string, flags: BulkFlags): Promise<void> {
  const recipients = await readRecipients(file)
  const message: Omit<BulkSmsMessage, 'Recipients'> = {
    From: flags.from,
    // The text is sent as it is: braces are no fields.
    Content: flags.text.replace(/[{}]/g, '\\$&'),
    ...(flags.callbackUrl === undefined ? {} : { CallbackUrl: flags.callbackUrl }),
  }
  const key = flags.idempotencyKey ?? crypto.randomUUID()
  say(
    `Sending to ${recipients.length}. To go on after a failure, so that no one gets it twice: ` +
      `--idempotency-key ${key}`,
  )
  const progress = await startProgress(recipients.length)
  const report = await withClient(flags, (client) =>
    client.sendToMany(message, recipients, {
      idempotencyKey: key,
      partSize: PART_SIZE,
      onProgress: ({ accepted, refused, uncertain }) => progress.update(accepted + refused + uncertain),
    }),
  ).finally(() => progress.stop())
  const fates = fatesOf(recipients, report)
  const counts = { accepted: report.accepted, refused: report.refused, uncertain: report.uncertain }
  const unsent = recipients.length - report.outcomes.length
  const cells = fates.map(({ line, To, Reference, status, Ticket, why }) => [
    line,
    To,
    Reference,
    status,
    Ticket ?? why ?? '',
  ])
  const text = table(['LINE', 'TO', 'REFERENCE', 'STATUS', 'TICKET'], cells)
  output(flags, { ...counts, unsent, idempotencyKey: key, recipients: fates }, text)
  const summary = `${report.accepted} of ${recipients.length} accepted`
  if (report.accepted === recipients.length) return say(`${summary}.`)
  throw new Failed(`${summary}; line by line above`, report.accepted === 0 ? 1 : 3)
}

/** Reads the whole file before sending anything, so that a malformed file sends nothing. */
async function readRecipients(file: string): Promise<BulkRow[]> {
  const { rows, mistakes } = await readCsv(file, {
    required: ['To'],
    optional: ['Reference'],
    others: 'ignored',
  })
  refuseMistakes(file, mistakes)
  if (rows.length === 0)
    throw new Failed(`${file}: expected at least one recipient below the first line, got none`)
  return rows.map(({ line, cells: { To, Reference } }) => ({ line, To, ...(Reference ? { Reference } : {}) }))
}

/** A recipient and its line in the file. */
export interface BulkRow {
  line: number
  To: string
  Reference?: string
}

type Report = Awaited<ReturnType<Client['sendToMany']>>
type Outcome = Report['outcomes'][number]

/** The result for one recipient. */
export interface BulkFate {
  line: number
  To: string
  Reference: string
  status: Outcome['status'] | 'unsent'
  Ticket?: string
  why?: string
}

/** The result for every recipient, in the order of the file. */
export function fatesOf(rows: readonly BulkRow[], { outcomes }: Pick<Report, 'outcomes'>): BulkFate[] {
  const byIndex = new Map(outcomes.map((outcome) => [outcome.index, outcome]))
  return rows.map(({ line, To, Reference = '' }, index) => {
    const outcome = byIndex.get(index)
    return { line, To, Reference, ...fateOf(outcome) }
  })
}

function fateOf(outcome: Outcome | undefined): Pick<BulkFate, 'status' | 'Ticket' | 'why'> {
  if (!outcome) return { status: 'unsent', why: 'the run stopped before' }
  const { status } = outcome
  if (status === 'accepted') return { status, Ticket: outcome.result.Ticket }
  if (status === 'skipped') return { status }
  const field = status === 'refused' ? outcome.field?.detail : undefined
  return { status, why: field ?? reasonOf(outcome.error) }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
