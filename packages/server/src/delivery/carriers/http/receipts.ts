import { isTicket } from '../../../domain/ids.ts'
import type { Receipt } from '../../carrier.ts'
import type { Blank } from './blank-secrets.ts'
import { type Parsed, parseForm, parseJson } from './parsed.ts'
import { reasonOf, referenceOf } from './provider-words.ts'
import type { ReceiptSource, ReceiptTemplate } from './template.ts'

/** A request with receipts, as the provider sent it. */
export interface ReceiptRequest {
  method: string
  /** Without its question mark. */
  query: string
  headers: Headers
  body: Uint8Array
}

export interface ReadReceipts {
  receipts: Receipt[]
  /** Receipts that say only that the message is on its way. */
  progress: number
  unreadable: number
}

/** Reads receipts from the first source that holds any; one unreadable when none does. */
export function readReceipts(request: ReceiptRequest, template: ReceiptTemplate, blank: Blank): ReadReceipts {
  let nothing: ReadReceipts = { receipts: [], progress: 0, unreadable: 1 }
  for (const source of template.in) {
    const parsed = parse(request, source)
    if (parsed === undefined) continue
    const read = readAll(parsed.itemsAt(template.list), template, blank)
    if (read.receipts.length + read.progress > 0) return read
    nothing = { ...read, unreadable: Math.max(1, read.unreadable) }
  }
  return nothing
}

function parse({ query, body }: ReceiptRequest, source: ReceiptSource): Parsed | undefined {
  if (source === 'json') return parseJson(body)
  return parseForm(source === 'query' ? query : Buffer.from(body).toString('utf8'))
}

function readAll(items: readonly Parsed[], template: ReceiptTemplate, blank: Blank): ReadReceipts {
  const read: ReadReceipts = { receipts: [], progress: 0, unreadable: 0 }
  for (const item of items) {
    const receipt = readOne(item, template, blank)
    if (receipt === 'progress') read.progress += 1
    else if (receipt === undefined) read.unreadable += 1
    else read.receipts.push(receipt)
  }
  return read
}

function readOne(item: Parsed, template: ReceiptTemplate, blank: Blank): Receipt | 'progress' | undefined {
  const words = template.status.map((path) => item.at(path))
  const word = words.find(
    (word) => word !== undefined && (template.verdicts.has(word) || template.progress.has(word)),
  )
  if (word === undefined) return undefined
  const verdict = template.verdicts.get(word)
  if (verdict === undefined) return 'progress'

  const ticket = template.ticket === undefined ? undefined : item.at(template.ticket)?.toLowerCase()
  if (template.ticket !== undefined && (ticket === undefined || !isTicket(ticket))) return undefined
  const ref = template.ref === undefined ? ticket : referenceOf(item.at(template.ref))
  if (ref === undefined) return undefined

  const reason = template.reason === undefined ? '' : reasonOf(item.at(template.reason) ?? '', blank)
  return {
    ref,
    ...(ticket !== undefined && isTicket(ticket) ? { ticket } : {}),
    verdict,
    // Some providers say "0" when nothing went wrong.
    ...(reason === '' || verdict === 'success' ? {} : { reason }),
  }
}
