import { type EpochMs, epochMs } from '../../domain/ids.ts'
import { plainNumber } from '../../domain/phone/phone.ts'
import { type CsvText, type Mistake, NotCsv, readCsvText } from '../../platform/csv.ts'
import type { SettledAs } from './uncertain.ts'

/** What a carrier's list says of a message. */
export interface ListedMessage {
  line: number
  /** Our ticket, or the carrier's reference; else the number and when the carrier took the message. */
  by: { reference: string } | { to: string; at: EpochMs }
  status: SettledAs
  /** The carrier's own reference; empty if the list doesn't say it. */
  carrierRef: string
}

export interface CarrierList {
  messages: readonly ListedMessage[]
  mistakes: Mistake[]
  separatedBy: string | undefined
}

/** What carriers call an end, in lower case. */
const WORDS: Readonly<Record<SettledAs, readonly string[]>> = {
  success: ['success', 'delivered', 'delivrd'],
  failed: ['failed', 'undelivered', 'undeliv', 'rejected', 'rejectd', 'expired', 'deleted'],
}

/** The columns that a list needs: one of these. */
const NEEDED = [
  ['reference', 'status'],
  ['to', 'time', 'status'],
] as const
type Column = (typeof NEEDED)[number][number] | 'message_id'
const ALL: readonly Column[] = ['reference', 'to', 'time', 'status', 'message_id']

/** The columns of a carrier's list, in words. */
export const LIST_COLUMNS = 'reference,status or to,time,status, and perhaps message_id'

/**
 * Reads a carrier's list of how messages ended: a CSV text that names each by a reference, or by its number and the time
 * at which the carrier took it. Throws `NotCsv`.
 */
export function readCarrierList(text: string): CarrierList {
  const { rows, mistakes, separatedBy } = readRows(text)
  const messages: ListedMessage[] = []
  const lines = new Map<string, ListedMessage>()
  for (const { line, cells } of rows) {
    const read = readRow(line, cells)
    if ('why' in read) {
      mistakes.push(read)
      continue
    }
    const name = nameOf(read)
    const before = lines.get(name)
    if (before && before.status !== read.status)
      mistakes.push({ line, why: `${name} has another status in line ${before.line}` })
    if (before) continue
    lines.set(name, read)
    messages.push(read)
  }
  return { messages, mistakes, separatedBy }
}

function readRows(text: string): CsvText<Column> {
  for (const required of NEEDED) {
    const optional = ALL.filter((name) => !required.some((one) => one === name))
    try {
      return readCsvText<Column>(text, { required, optional, others: 'ignored' })
    } catch (error) {
      if (!(error instanceof NotCsv) || error.line !== 1) throw error
    }
  }
  const first = /^[^\r\n]{0,200}/.exec(text)?.[0] || 'nothing'
  throw new NotCsv(`expected the columns ${LIST_COLUMNS}; got ${first}`, 1)
}

/** How a row names its message. */
export function nameOf({ by }: Pick<ListedMessage, 'by'>): string {
  return 'reference' in by ? by.reference : `${by.to} at ${new Date(by.at).toISOString().slice(0, 19)}Z`
}

function readRow(line: number, cells: Partial<Record<Column, string>>): ListedMessage | Mistake {
  const { status: word = '', reference = '', to = '', time = '', message_id: carrierRef = '' } = cells
  const status = (['success', 'failed'] as const).find((one) => WORDS[one].includes(word.toLowerCase()))
  const wrong = (why: string): Mistake => ({ line, why })
  if (reference === '' && to === '') return wrong('reference: expected one, got an empty cell')
  if (!status)
    return wrong(
      `status: expected one of ${[...WORDS.success, ...WORDS.failed].join(', ')}; got ${JSON.stringify(word)}`,
    )
  if (/[^!-~]/.test(carrierRef))
    return wrong(`message_id: expected visible characters alone; got ${JSON.stringify(carrierRef)}`)
  if (reference !== '') return { line, by: { reference }, status, carrierRef }
  const number = plainNumber(to)
  if (!/^[1-9]\d{6,14}$/.test(number))
    return wrong(`to: expected a number with its country code; got ${JSON.stringify(to)}`)
  const at = readTime(time)
  if (at === undefined)
    return wrong(`time: expected one such as 2026-01-31 10:31:02, in UTC; got ${JSON.stringify(time)}`)
  return { line, by: { to: number, at }, status, carrierRef }
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/i

/** A time with its zone, or in UTC. */
function readTime(text: string): EpochMs | undefined {
  const [, day = '', time = '', zone = 'Z'] = TIME.exec(text) ?? []
  const at = Date.parse(`${day}T${time}${/^utc$/i.test(zone) ? 'Z' : zone}`)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // A day that does not exist, such as February 30, moves to another one on some engines.
  const exists = midnight >= 0 && new Date(midnight).toISOString().startsWith(day)
  return exists && at >= 0 ? epochMs(at) : undefined
}
