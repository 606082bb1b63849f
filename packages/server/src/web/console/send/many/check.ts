import { type Micros, recipientDigits } from '@wigwag/contract'
import { Problem } from '../../../../kernel/errors.ts'
import { dialled, plainNumber } from '../../../../kernel/phone/phone.ts'
import type { WalletPrincipal } from '../../../../kernel/principal.ts'
import type { FormBulk, Quote, Quoted, SendingForPages } from '../../../../messages/sending/index.ts'
import type { Line, List } from './list.ts'

/** A line that can't be sent, and the number that it could be sent to. */
export interface Wrong {
  line: Line
  why: string
  clean: string | undefined
}

/** Messages to one network, at one price. */
interface Group {
  country: string
  network: string | undefined
  unitPrice: Micros
  messages: number
  segments: number
  cost: number
}

/** A list that was looked through, with nothing sent. */
export interface Checked {
  lines: readonly Line[]
  wrong: readonly Wrong[]
  /** The lines with a number that an earlier line has as well. */
  repeated: readonly Line[]
  groups: readonly Group[]
  /** Prices of the lines that can be sent, in the list's order. */
  prices: readonly Micros[]
  /** Segments of all these lines together. */
  segments: number
  /** Segments of each line; undefined where they differ. */
  segmentsEach: number | undefined
  total: Micros
  sample: Sample | undefined
}

/** A text as it is sent, and the line that it is for. */
export type Sample = Pick<NonNullable<Quote['sample']>, 'content' | 'encoding'> & { line: Line | undefined }

export type Shared = Omit<FormBulk, 'Recipients' | 'Columns'>

/** Looks through a list: what is wrong with each line, and what the rest costs. */
export async function checkList(
  forPages: Pick<SendingForPages, 'quote'>,
  principal: WalletPrincipal,
  shared: Shared,
  list: Pick<List, 'lines' | 'names'>,
): Promise<Checked> {
  const { lines, names } = list
  const read = lines.filter(({ mistake }) => mistake === undefined)
  const priced = await forPages.quote(principal, bulkOf(shared, { lines: read, names }))
  const refused = read.flatMap((line, index) => {
    const price = priced.prices[index]
    return isProblem(price) ? [{ line, why: price.message }] : []
  })
  const unread = lines.flatMap((line) =>
    line.mistake === undefined ? [] : [{ line, why: line.mistake, clean: line.clean }],
  )
  const tidied = refused.map(({ line }) => ({ ...line, to: plainNumber(line.to) }))
  const again =
    tidied.length === 0
      ? undefined
      : await forPages.quote(principal, bulkOf(shared, { lines: tidied, names }))
  const wrong = refused.map(({ line, why }, index) => {
    const isMended = again && !isProblem(again.prices[index])
    return { line, why, clean: isMended ? tidied[index]?.to : undefined }
  })
  const good = read.filter((_, index) => !isProblem(priced.prices[index]))
  const { total, sample } = priced
  const sent = priced.prices.flatMap((price) => (isProblem(price) ? [] : [price]))
  const [first, ...others] = new Set(sent.map(({ segments }) => segments))
  return {
    lines,
    wrong: [...wrong, ...unread].sort((a, b) => a.line.line - b.line.line),
    repeated: repeatsIn(good),
    groups: groupsOf(sent),
    prices: sent.map(({ price }) => price),
    segments: sent.reduce((sum, { segments }) => sum + segments, 0),
    segmentsEach: others.length > 0 ? undefined : first,
    total,
    sample: sample && { ...sample, line: read[sample.index] },
  }
}

/** The list without what is wrong in it: cleaned where that is enough, else left out. */
export function mended({ lines, wrong }: Checked): Line[] {
  const clean = new Map(wrong.map((one) => [one.line, one.clean]))
  return lines.flatMap((line) => {
    if (!clean.has(line)) return [line]
    const to = clean.get(line)
    return to === undefined ? [] : [{ ...line, to }]
  })
}

/** The list with each number once, where it stands first. */
export function once({ lines, repeated }: Checked): Line[] {
  const out = new Set(repeated)
  return lines.filter((line) => !out.has(line))
}

export function bulkOf(shared: Shared, { lines, names }: Pick<List, 'lines' | 'names'>): FormBulk {
  const Recipients = lines.map(({ to, reference, cells }) => ({ To: to, Reference: reference, Cells: cells }))
  return { ...shared, Columns: names, Recipients }
}

function isProblem(price: Quoted | Problem | undefined): price is Problem {
  return price instanceof Problem
}

function repeatsIn(lines: readonly Line[]): Line[] {
  const seen = new Set<string>()
  return lines.filter(({ to }) => {
    const number = dialled(recipientDigits(to))
    if (seen.has(number)) return true
    seen.add(number)
    return false
  })
}

function groupsOf(prices: readonly Quoted[]): Group[] {
  const groups = new Map<string, Group>()
  for (const price of prices) {
    const { country, network, unitPrice, segments } = price
    const name = `${country} ${network} ${unitPrice}`
    const group = groups.get(name) ?? { country, network, unitPrice, messages: 0, segments: 0, cost: 0 }
    group.messages++
    group.segments += segments
    group.cost += price.price
    groups.set(name, group)
  }
  return [...groups.values()].sort((a, b) => b.cost - a.cost)
}

/** In bytes, of the form with a list, which is larger than any other form. Pages call it 2 MB. */
export const LARGEST_LIST_FORM = 2 * 1_024 * 1_024
/** Bytes left for the form's other fields. */
const REST_OF_FORM = 32 * 1_024

/** Why a list can't go through the form again: browsers post the end of a line as two bytes. */
export function tooLargeToPost(list: string): string | undefined {
  if (Buffer.byteLength(list) + lineEndsIn(list) <= LARGEST_LIST_FORM - REST_OF_FORM) return undefined
  return 'Expected a list of at most 2 MB; got a longer one. Split it, and send its parts one after the other.'
}

function lineEndsIn(text: string): number {
  let ends = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends++
  return ends
}
