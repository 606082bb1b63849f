/** `npm start -- list.csv`: says what it costs, asks, sends, and goes on where a run before was ended. */
import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createClient, type ManyCheckpoint, type ManyOutcome } from '@wigwag/sdk'
import { estimateMany } from '@wigwag/sdk/segments'
import { parse } from 'csv-parse'

/** A row of the list: its columns are the fields of the text. */
type Row = { To: string; Reference: string } & Record<string, string>

/** In a file beside the list, so that another run knows what this one has done. */
interface State {
  /** Of the whole campaign: two runs at once send to nobody twice. */
  key: string
  startedAt: string
  checkpoint?: ManyCheckpoint
  failures: Failure[]
}
/** A list may lack a column. */
type Failure = [reference: string | undefined, to: string | undefined, status: string, reason: string]

const sms = createClient()
const message = { Content: 'Dear {Name}, you have {Points} points. Spend them by Friday at any Acme shop.' }
const [list = 'list.csv'] = process.argv.slice(2)
const file = `${list}.state.json`
const report = `${list}.failures.csv`

if (!existsSync(file)) {
  if (!(await isWanted())) process.exit()
  const fresh: State = { key: randomUUID(), startedAt: new Date().toISOString(), failures: [] }
  await writeFile(file, JSON.stringify(fresh), { flag: 'wx' })
}
const state: State = JSON.parse(await readFile(file, 'utf8'))
console.log(`The campaign of ${list} was begun at ${state.startedAt}.`)

const sent = await sms.sendToMany(message, rows(), {
  dedupe: 'skip',
  ...(state.checkpoint ? { resume: state.checkpoint } : { idempotencyKey: state.key }),
  async onProgress({ outcomes, checkpoint, accepted, skipped }) {
    state.failures.push(...outcomes.filter(({ status }) => status === 'refused').map(failureOf))
    state.checkpoint = checkpoint
    await save(file, JSON.stringify(state)) // before anything of the next part goes out
    console.log(`${accepted} sent, ${skipped} skipped, ${state.failures.length} failed`)
  },
})
const tickets = new Set(sent.outcomes.map(ticketOf))
const uncertain = sent.outcomes.filter(({ status }) => status === 'uncertain').map(failureOf)
const failures = [...state.failures, ...uncertain, ...(await undelivered(tickets))]
await save(report, ['Reference,To,Status,Reason', ...failures.map(asCsv)].join('\n'))
console.log(`${sent.accepted} sent, ${sent.skipped} skipped; ${failures.length} failures are in ${report}.`)
if (sent.error) {
  console.error('It stopped early. Mend this, then run the same command:', sent.error)
  process.exitCode = 1
}

function rows(): AsyncIterable<Row> {
  return createReadStream(list).pipe(parse({ columns: true, trim: true, skip_empty_lines: true, bom: true }))
}

async function isWanted(): Promise<boolean> {
  const { cost, currency, exact, recipients, refused } = await estimateMany(sms, message, rows(), {
    dedupe: 'skip',
  })
  const about = exact ? '' : 'about '
  console.log(
    `${recipients} messages cost ${about}${cost} ${currency}; ${refused} rows can't be sent. Type yes to send:`,
  )
  for await (const line of createInterface(process.stdin)) return line.trim() === 'yes'
  return false
}

function failureOf({ recipient, ...outcome }: ManyOutcome<Row>): Failure {
  const field = 'field' in outcome ? outcome.field?.detail : undefined
  const reason = field ?? ('error' in outcome ? String(outcome.error) : '')
  return [recipient.Reference, recipient.To, outcome.status, reason]
}

function ticketOf(outcome: ManyOutcome<Row>): string | undefined {
  if (outcome.status === 'accepted') return outcome.result.Ticket
  return outcome.status === 'skipped' ? outcome.ticket : undefined
}

/** Messages that a network has given up by now. Run the command again later: it sends nothing, and reads them anew. */
async function undelivered(tickets: Set<string | undefined>): Promise<Failure[]> {
  const found: Failure[] = []
  for (const Status of ['undelivered', 'expired', 'rejected', 'failed'] as const)
    for await (const each of sms.searchMessages({ Status, DateFrom: new Date(state.startedAt) }))
      if (tickets.has(each.MessageId)) found.push([each.Reference ?? '', each.To, Status, ''])
  return found
}

/** A file is the old one or the new one, whatever happens meanwhile. */
async function save(name: string, text: string): Promise<void> {
  await writeFile(`${name}.new`, text, { flush: true })
  await rename(`${name}.new`, name)
}

function asCsv(cells: Failure): string {
  return cells.map((cell) => `"${cell?.replaceAll('"', '""') ?? ''}"`).join(',')
}
