import type { Ticket } from '../../domain/ids.ts'
import { type Mistake, readCsvText } from '../../platform/csv.ts'
import type { NamedMessages, SettledAs } from './settling.ts'
import type { UncertainMessage } from './uncertain.ts'

/** What a carrier's list says of a message. */
export interface ListedStatus {
  line: number
  status: SettledAs
}

export interface CarrierList {
  /** By what the list calls the messages. */
  statuses: ReadonlyMap<string, ListedStatus>
  mistakes: Mistake[]
  separatedBy: string | undefined
}

/** What carriers call an end, in lower case. */
const WORDS: Readonly<Record<SettledAs, readonly string[]>> = {
  success: ['success', 'delivered', 'delivrd'],
  failed: ['failed', 'undelivered', 'undeliv', 'rejected', 'rejectd', 'expired', 'deleted'],
}

/** Reads a carrier's list of how messages ended: a CSV text with the columns reference and status. Throws `NotCsv`. */
export function readCarrierList(text: string): CarrierList {
  const columns = { required: ['reference', 'status'], others: 'ignored' } as const
  const { rows, mistakes, separatedBy } = readCsvText(text, columns)
  const statuses = new Map<string, ListedStatus>()
  for (const { line, cells } of rows) {
    const word = cells.status.toLowerCase()
    const status = (['success', 'failed'] as const).find((one) => WORDS[one].includes(word))
    const before = statuses.get(cells.reference)
    if (cells.reference === '') mistakes.push({ line, why: 'reference: expected one, got an empty cell' })
    else if (!status)
      mistakes.push({
        line,
        why: `status: expected one of ${[...WORDS.success, ...WORDS.failed].join(', ')}; got ${JSON.stringify(cells.status)}`,
      })
    else if (before && before.status !== status)
      mistakes.push({ line, why: `reference: ${cells.reference} has another status in line ${before.line}` })
    else statuses.set(cells.reference, { line, status })
  }
  return { statuses, mistakes, separatedBy }
}

export interface ListedDecision {
  message: UncertainMessage
  status: SettledAs
}

/** A decision for each uncertain message that a list names. Two names of one message must agree. */
export function decisionsOf(
  statuses: CarrierList['statuses'],
  { uncertain }: Pick<NamedMessages, 'uncertain'>,
): { decisions: ListedDecision[]; mistakes: Mistake[] } {
  const decisions = new Map<Ticket, ListedDecision>()
  const mistakes: Mistake[] = []
  for (const [name, message] of uncertain) {
    const listed = statuses.get(name)
    if (!listed) continue
    const { line, status } = listed
    const before = decisions.get(message.ticket)
    if (before && before.status !== status)
      mistakes.push({ line, why: `${message.ticket} has another status in a row before` })
    else decisions.set(message.ticket, { message, status })
  }
  return { decisions: [...decisions.values()], mistakes }
}
