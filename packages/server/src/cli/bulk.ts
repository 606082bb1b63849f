import type { BulkSmsMessage } from '@wigwag/sdk'
import { Command } from 'commander'
import { idempotencyKey, webUrl } from './arguments.ts'
import { type BulkRow, fatesOf } from './bulk-fates.ts'
import { startProgress } from './bulk-progress.ts'
import { readCsv, refuseMistakes } from './csv-file.ts'
import { type GatewayFlags, withClient, withGateway } from './gateway-client.ts'
import { type OutputFlags, output, table, withJson } from './output.ts'
import { Failed, say } from './terminal.ts'

interface BulkFlags extends GatewayFlags, OutputFlags {
  from: string
  text: string
  callbackUrl?: string
  idempotencyKey?: string
}

/** Small enough for the progress to move, large enough for few requests. */
const PART_SIZE = 1_000

export function bulkCommand(): Command {
  const command = new Command('bulk')
    .description('Send one text to everybody in a CSV file. Exit code 3 says that only a part was accepted.')
    .argument('<file>', 'with the column To and perhaps Reference; others are ignored')
    .requiredOption('--from <sender>', 'a sender ID that is approved for the account')
    .requiredOption('--text <text>', 'what it says')
    .option('--callback-url <url>', 'who is told when each message is final', webUrl)
    .option(
      '--idempotency-key <key>',
      'of an earlier run of the same file: nobody gets it twice',
      idempotencyKey,
    )
  return withJson(withGateway(command)).action(sendBulk)
}

async function sendBulk(file: string, flags: BulkFlags): Promise<void> {
  const recipients = await readRecipients(file)
  const message: Omit<BulkSmsMessage, 'Recipients'> = {
    From: flags.from,
    Content: flags.text,
    ...(flags.callbackUrl === undefined ? {} : { CallbackUrl: flags.callbackUrl }),
  }
  const key = flags.idempotencyKey ?? crypto.randomUUID()
  say(
    `Sending to ${recipients.length}. To go on after a failure, so that nobody gets it twice: ` +
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

/** The whole file is read before the first message goes out: one that is no list sends nothing. */
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
