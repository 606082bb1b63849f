import { type Micros, micros, parseAmount } from '@wigwag/contract'
import { type Client, GatewayError } from '@wigwag/sdk'
import { estimateMany, type ManyEstimate } from '@wigwag/sdk/segments'
import { Command, Option } from 'commander'
import { amountOf, money } from '../../kernel/money/shown.ts'
import { amount, idempotencyKey, webUrl } from '../arguments.ts'
import { type GatewayFlags, senderOf, withClient, withGateway } from '../messages/gateway-client.ts'
import {
  canAsk,
  counted,
  Failed,
  lines,
  type OutputFlags,
  output,
  say,
  saysYes,
  table,
  withJson,
} from '../terminal.ts'
import { type BulkList, readList } from './list.ts'
import { type BulkFate, type BulkMessage, fatesOf, openOut, type Run, runBulk } from './run.ts'

interface BulkFlags extends GatewayFlags, OutputFlags {
  from: string
  content: string
  callbackUrl?: string
  idempotencyKey?: string
  duplicates: 'skip' | 'send' | 'refuse'
  dryRun?: true
  yes?: true
  confirmAbove: Micros
  out?: string
}

/** Small enough to show progress, large enough to need few requests. Texts with fields have parts of their own size. */
const PART_SIZE = 1_000
/** Rows that a summary names, of each kind. */
const MOST_NAMED = 20

export function bulkCommand(): Command {
  const command = new Command('bulk')
    .description('Send a text to every recipient in a CSV file.')
    .argument('<file>', 'with the column To and optionally Reference; - reads standard input')
    .option('--from <sender>', 'a sender ID that is approved for the account (WIGWAG_FROM)')
    .requiredOption('--content <text>', 'the text; {Name} stands for the column Name of each row')
    .option('--callback-url <url>', 'called when each message is final', webUrl)
    .option(
      '--dry-run',
      'show recipients, segments, price and the rows that would be refused, and send nothing',
    )
    .addOption(
      new Option('--duplicates <rule>', 'what to do with rows whose number an earlier row has')
        .choices(['skip', 'send', 'refuse'])
        .default('skip'),
    )
    .option('--yes', 'send without asking, whatever it costs')
    .addOption(
      new Option('--confirm-above <amount>', 'ask before sending for more than this')
        .argParser(amount)
        .default(parseAmount('100'), '100'),
    )
    .option('--out <file>', 'write the result of each row to a CSV file')
    .option(
      '--idempotency-key <key>',
      'the key of an earlier run of the same file, so that no one gets the text twice',
      idempotencyKey,
    )
    .addHelpText('after', HELP)
  return withJson(withGateway(command)).action(sendBulk)
}

const HELP = `
Cells are separated by commas, semicolons or tabs. Columns that the text does not
name are ignored; a row with nothing in one that it names is refused. A brace that
is text is written as \\{ or \\}. Ctrl-C stops the run and prints the line that
goes on with it. A run that costs more than --confirm-above asks at a terminal,
and is refused without one unless --yes is given.

Exit code 3: only a part was accepted.`

async function sendBulk(file: string, given: Omit<BulkFlags, 'from'> & { from?: string }): Promise<void> {
  const flags: BulkFlags = { ...given, from: senderOf(given) }
  const list = await readList(file, flags.content)
  tellRepeats(file, list, flags)
  const message: BulkMessage = {
    From: flags.from,
    Content: flags.content,
    ...(flags.callbackUrl === undefined ? {} : { CallbackUrl: flags.callbackUrl }),
  }
  await withClient(flags, (client) =>
    flags.dryRun ? showEstimate(client, message, list, flags) : send(client, message, { file, list, flags }),
  )
}

/** Names the rows whose number comes again, and says what happens to them. */
function tellRepeats(file: string, { repeats }: BulkList, { duplicates }: BulkFlags): void {
  if (repeats.length === 0) return
  const happens = { skip: 'skipped', send: 'sent to again', refuse: 'refused; nothing was sent' }[duplicates]
  const named = repeats
    .slice(0, MOST_NAMED)
    .map(({ line, To, first }) => `${file}:${line}: ${To} is on line ${first} already`)
  if (repeats.length > named.length) named.push(`and ${repeats.length - named.length} more`)
  const text = [
    `${counted(repeats.length, 'row repeats', 'rows repeat')} a number and ${repeats.length === 1 ? 'is' : 'are'} ${happens}`,
    ...named,
  ].join('\n')
  if (duplicates === 'refuse') throw new Failed(text)
  say(text)
}

const dedupeOf = ({ duplicates }: BulkFlags) => (duplicates === 'skip' ? 'skip' : undefined)

async function showEstimate(
  client: Client,
  message: BulkMessage,
  { rows, repeats }: BulkList,
  flags: BulkFlags,
): Promise<void> {
  const refusals: BulkFate[] = []
  const estimate = await estimateMany(client, message, rows, {
    dedupe: dedupeOf(flags),
    onRefused: ({ recipient: { line, To, Reference = '' }, field }) =>
      refusals.push({ line, To, Reference, status: 'refused', why: field.detail }),
  })
  refusals.sort((a, b) => a.line - b.line)
  const skipped = flags.duplicates === 'skip' ? repeats.length : 0
  const { recipients, refused, segments } = estimate
  const sums = lines([
    ['recipients', recipients],
    ['refused', refused],
    ['skipped', skipped],
    ['segments', segments],
    ['price', priceInWords(estimate)],
  ])
  const listed = refusals.length === 0 ? '' : `\n\n${tableOf(refusals, '--json')}`
  output(flags, { ...estimate, currency: estimate.currency ?? null, skipped, refusals }, `${sums}${listed}`)
  say('Nothing was sent.')
}

interface Given {
  file: string
  list: BulkList
  flags: BulkFlags
}

async function send(client: Client, message: BulkMessage, { file, list, flags }: Given): Promise<void> {
  const dedupe = dedupeOf(flags)
  const write = flags.out === undefined ? undefined : openOut(flags.out)
  if (!flags.yes)
    await confirmPrice(await estimateMany(client, message, list.rows, { dedupe }), flags.confirmAbove)
  const key = flags.idempotencyKey ?? crypto.randomUUID()
  const resume = resumeLine(file, flags, key)
  say(`Sending to ${list.rows.length}. If this is cut off, go on within 23 hours with:\n  ${resume}`)
  const run = await runBulk(client, message, list.rows, {
    idempotencyKey: key,
    dedupe,
    partSize: list.hasFields ? undefined : PART_SIZE,
  }).catch((error: unknown) => {
    throw isKeyOfAnother(error) ? new Failed(KEY_OF_ANOTHER, 1, { code: error.code }) : error
  })
  const fates = fatesOf(list, run.outcomes)
  write?.(fates)
  const { accepted, refused, uncertain, skipped } = run
  const unsent = list.rows.length - run.outcomes.length
  const counts = { accepted, refused, uncertain, skipped, unsent }
  output(flags, { ...counts, idempotencyKey: key, resume, recipients: fates }, failuresOf(fates))
  conclude(run, { total: list.rows.length, unsent, resume })
}

/** The first rows that were refused or are uncertain, as a table. */
function failuresOf(fates: readonly BulkFate[]): string {
  const failed = fates.filter(({ status }) => status === 'refused' || status === 'uncertain')
  return failed.length === 0 ? '' : tableOf(failed, '--out FILE or --json')
}

/** The first of some rows, with how many more there are and what shows them. */
function tableOf(fates: readonly BulkFate[], all: string): string {
  const cells = fates
    .slice(0, MOST_NAMED)
    .map(({ line, To, Reference, status, why = '' }) => [line, To, Reference, status, why])
  const more = fates.length - cells.length
  const rest = more > 0 ? `\nand ${more} more: ${all} shows all` : ''
  return `${table(['LINE', 'TO', 'REFERENCE', 'STATUS', 'WHY'], cells)}${rest}`
}

function conclude(
  run: Run,
  { total, unsent, resume }: { total: number; unsent: number; resume: string },
): void {
  const { accepted, refused, uncertain, skipped } = run
  const others = Object.entries({ refused, uncertain, skipped, 'not sent': unsent })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${count} ${what}`)
  const summary = `${accepted} of ${total} accepted${others.join('')}`
  if (accepted + skipped === total) {
    say(`${summary}.`)
    return
  }
  const cannotGoOn = isKeyOfAnother(run.error)
  const goOn =
    unsent + uncertain > 0 && !cannotGoOn ? `\nTo go on, so that no one gets it twice:\n  ${resume}` : ''
  const error = cannotGoOn ? KEY_OF_ANOTHER : run.error instanceof Error ? run.error.message : ''
  const why = error && !run.stopped ? `\n${error}` : ''
  throw new Failed(`${run.stopped ? 'stopped: ' : ''}${summary}${why}${goOn}`, accepted === 0 ? 1 : 3)
}

const KEY_OF_ANOTHER =
  '--idempotency-key: expected the key of an earlier run of the same text and list, but this one belongs to another: run ' +
  'without it, or with the former text and file'

function isKeyOfAnother(error: unknown): error is GatewayError {
  return GatewayError.is(error) && error.code === 'idempotency_key_reused'
}

/** The command line that goes on with a run. */
function resumeLine(file: string, flags: BulkFlags, key: string): string {
  const { from, content, callbackUrl, duplicates, out, url, json } = flags
  const options = {
    from,
    content,
    'callback-url': callbackUrl,
    url,
    out,
    duplicates: duplicates === 'skip' ? undefined : duplicates,
    'idempotency-key': key,
  }
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  )
  return ['wigwag bulk', quoted(file), ...words, '--yes', ...(json ? ['--json'] : [])].join(' ')
}

/** A word for the shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const microsOf = ({ cost }: ManyEstimate) => micros(Math.round(cost * 1_000_000))

/** A price as people read it: `about GHS 12.60`. */
function priceInWords(estimate: ManyEstimate): string {
  const { exact, currency = '' } = estimate
  return `${exact ? '' : 'about '}${currency === '' ? amountOf(microsOf(estimate)) : money(microsOf(estimate), currency)}`
}

/** Asks the person at the terminal about a price above an amount. Without a terminal it is refused. */
async function confirmPrice(estimate: ManyEstimate, above: Micros): Promise<void> {
  if (microsOf(estimate) <= above) return
  const price = priceInWords(estimate)
  if (!canAsk()) {
    throw new Failed(
      `this would cost ${price}, which is more than ${amountOf(above)}: add --yes to send it; nothing was sent`,
      2,
    )
  }
  const agreed = await saysYes(`Send to ${estimate.recipients} recipients for ${price}?`)
  if (!agreed) throw new Failed('nothing was sent')
}
