import type { Transport } from '../calls/transport.ts'
import { WigwagError } from '../errors.ts'
import type { FieldError, Recipient } from '../generated/models.ts'
import { withSender } from '../options.ts'
import type { ManyMessage, ManyOptions, ManyOutcome, ManyPart, ManyReport, Outcome } from './bulk-types.ts'
import { partDigest } from './digest.ts'
import { byText, cut, type Entry, type Part, read } from './parts.ts'
import { planOf } from './plan.ts'
import { refusalsOf } from './refusals.ts'
import { verified } from './verified.ts'

/** The gateway keeps keys for 24 hours; one hour less allows for clocks that differ. */
const keyLife = 23 * 3_600_000

/** A part that is under way, in the checkpoint. */
type OpenPart = Required<Omit<ManyPart, 'tickets'>> & Pick<ManyPart, 'tickets'>

/**
 * Sends to any number of recipients, in parts. The idempotency key of a request is made of the run's key, the part's
 * number and the number of requests of the part that were answered before, so that a request repeated in this run or a
 * resumed one goes out once.
 *
 * It rejects only while no recipient has a result. After that the caller could not tell who got the message: the report
 * says that. A request that fails as a whole stops the run, since the next one would most likely fail too. Once the run is
 * stopped, requests under way are waited for and no other is sent.
 */
export async function sendToMany<Row extends Recipient>(
  { call, clock, resend: usual, from }: Transport,
  text: ManyMessage,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ManyOptions<Row> = {},
): Promise<ManyReport<Row>> {
  const { concurrency = 4, onProgress, dedupe, collect = true, signal, stop, resend = usual } = options
  const message = withSender({ ...text }, from)
  const { checkpoint, content, render, partSize } = planOf(message, options)
  const { key, parts } = checkpoint
  const report: ManyReport<Row> = {
    accepted: 0,
    refused: 0,
    uncertain: 0,
    skipped: 0,
    outcomes: [],
    checkpoint,
    error: undefined,
  }
  let fresh: ManyOutcome<Row>[] = []
  let hasResult = false

  const record = (entries: Entry<Row>[], outcome: Outcome) => {
    for (const { index, recipient } of entries) {
      fresh.push({ index, recipient, ...outcome })
      // A refusal of the whole request is no result of this recipient alone.
      hasResult ||= outcome.status === 'refused' ? !!outcome.field : outcome.status !== 'skipped'
    }
    report[outcome.status] += entries.length
  }
  const tell = () => {
    const outcomes = fresh
    fresh = []
    if (collect) for (const outcome of outcomes) report.outcomes.push(outcome)
    return onProgress?.({ ...report, outcomes })
  }

  /** Ends the run, for all workers. */
  const end = (error: unknown) => {
    report.error ??= error
    throw error
  }
  const throwIfOver = () => {
    signal?.throwIfAborted()
    stop?.throwIfAborted()
    if (report.error !== undefined) throw report.error
  }

  async function sendPart(whole: Part<Row>): Promise<void> {
    throwIfOver()
    const { number, entries } = whole
    const now = clock.now()
    const earlier = parts[number]
    const settled = [...(earlier?.settled ?? [])]
    const isSettled = new Set(settled)
    const tickets = ticketsIn(earlier, entries.length)
    for (const [at, entry] of entries.entries()) {
      if (isSettled.has(entry.index)) record([entry], skipped(tickets[at]))
      else if (entry.outcome) record([entry], entry.outcome)
    }
    // Grouped before those that are settled are left out, so that requests keep their order and with it their keys.
    const groups = byText(entries).map((group) => group.filter(({ index }) => !isSettled.has(index)))
    /** When a run began that may have sent it. */
    const begun = earlier?.at ?? undefined
    if (begun !== undefined && (resend === 'when-safe' || (resend === 'with-key' && now - begun > keyLife))) {
      const error = new Error('An earlier run may have sent it.')
      return record(groups.flat(), { status: 'uncertain', error })
    }
    const part: OpenPart = {
      at: begun ?? now,
      digest: partDigest(whole),
      done: false,
      round: earlier?.round ?? 0,
      settled,
      ...((collect || earlier?.tickets) && { tickets: tickets.join(' ') }),
    }
    parts[number] = part
    await sendGroups(whole, part, tickets, groups, begun === undefined)
    const { at, digest } = part
    const ended = { at, digest, done: true }
    parts[number] = part.tickets === undefined ? ended : { ...ended, tickets: part.tickets }
  }

  /** Sends what is left of a part, one text after the other. Nothing of a new one was sent by an earlier run. */
  async function sendGroups(
    { number, entries }: Part<Row>,
    part: OpenPart,
    tickets: string[],
    groups: Entry<Row>[][],
    isNew: boolean,
  ): Promise<void> {
    const from = entries[0]?.index ?? 0
    const conclude = (those: Iterable<Entry<Row>>) => {
      for (const { index } of those) part.settled.push(index)
      part.round++
    }
    /** Marks the part as one of which nothing is under way, unless an earlier run may have sent some of it. */
    const leave = () => {
      if (isNew) parts[number] = part.settled.length ? { ...part, at: null } : null
    }
    let isStored = false
    for (let rest of groups) {
      while (rest.length) {
        try {
          // The checkpoint is reported before the part goes out, so that a crashed run can be resumed without sending
          // twice; and again after a refusal, so that a resumed run leaves out the same recipients.
          if (!isStored) await tell()
          isStored = true
          throwIfOver()
        } catch (error) {
          leave()
          throw error
        }
        const Content = rest[0]?.text ?? content
        const body = { ...message, Content, Recipients: rest.map(({ sent }) => sent) }
        const idempotencyKey = `${key}-${number}-${part.round}`
        try {
          const results = await call('sendBulkSms', { body }, { ...options, idempotencyKey })
          for (const [at, result] of results.entries()) {
            const those = rest.slice(at, at + 1)
            record(those, { status: 'accepted', result })
            for (const { index } of those) tickets[index - from] = result.Ticket
          }
          if (part.tickets !== undefined) part.tickets = tickets.join(' ')
          conclude(rest)
          break
        } catch (error) {
          // A TypeError is thrown before a request is made.
          const isKnown = error instanceof WigwagError ? !error.uncertain : error instanceof TypeError
          const refused = isKnown ? refusalsOf(error, rest) : new Map<Entry<Row>, FieldError>()
          if (!refused.size) {
            // A refusal now says nothing about what an earlier run has sent.
            const isRefused = isKnown && isNew
            if (isRefused) leave()
            record(rest, { status: isRefused ? 'refused' : 'uncertain', error })
            throw error
          }
          for (const [entry, field] of refused) record([entry], { status: 'refused', error, field })
          conclude(refused.keys())
          rest = rest.filter((entry) => !refused.has(entry))
          isStored = false
        }
      }
    }
  }

  const skip = ({ number, entries }: Part<Row>) => {
    const tickets = ticketsIn(parts[number], entries.length)
    for (const [at, entry] of entries.entries()) record([entry], skipped(tickets[at]))
    return tell()
  }
  const list = cut(message, read(rows, render, dedupe), partSize)
  const queue = verified(list, parts, partDigest, skip)
  const work = async () => {
    try {
      // All workers take parts from one queue. The first failure closes it, once each that waits has got its next part.
      for await (const part of queue) await sendPart(part).catch(end).finally(tell).catch(end)
    } catch (error) {
      report.error ??= error
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (report.error !== undefined && !hasResult) throw report.error
  report.outcomes.sort((one, other) => one.index - other.index)
  return report
}

/** The outcome of a recipient that an earlier run has handled, with the ticket that it kept. */
function skipped(ticket: string | undefined): Outcome {
  return ticket ? { status: 'skipped', ticket } : { status: 'skipped' }
}

/** The tickets that a checkpoint has of a part: one text, which takes less memory than a text for each. */
function ticketsIn(part: ManyPart | null | undefined, length: number): string[] {
  const tickets = part?.tickets?.split(' ')
  return tickets?.length === length ? tickets : new Array(length).fill('')
}
