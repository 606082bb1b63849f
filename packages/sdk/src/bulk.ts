import type { Fate, ManyCheckpoint, ManyMessage, ManyOptions, ManyOutcome, ManyReport } from './bulk-types.ts'
import { GatewayError, WigwagError } from './errors.ts'
import { cut, digestOf, type Entry, type Part } from './parts.ts'
import type { Transport } from './transport.ts'
import type { Recipient } from './types.ts'

/** Keys are kept for 24 hours; one hour is left for clocks that differ. */
const keyLife = 23 * 3_600_000

/**
 * Sends one text to any number of recipients, in parts. Each part has a key of its own, made of the run's and the
 * part's number, so that a part that is sent again, in this run or a resumed one, goes out once.
 *
 * It does not reject for what happens on the way, for then nobody could say who got the message: the report says it.
 * A part that fails as a whole stops the run, since the next would most likely fail too.
 */
export async function sendToMany<Row extends Recipient>(
  { call, clock, resend: usual }: Transport,
  text: ManyMessage,
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: ManyOptions<Row> = {},
): Promise<ManyReport<Row>> {
  const { concurrency = 4, partSize, onProgress, resume, collect = true, ...callOptions } = options
  const message = { ...text }
  const { signal, resend = usual } = callOptions
  const checkpoint: ManyCheckpoint = structuredClone(resume) ?? {
    key: options.idempotencyKey ?? crypto.randomUUID(),
    parts: [],
  }
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

  const settle = (entries: Entry<Row>[], fate: Fate) => {
    for (const { index, recipient } of entries) fresh.push({ index, recipient, ...fate })
    report[fate.status] += entries.length
  }
  const tell = () => {
    const outcomes = fresh
    fresh = []
    if (collect) for (const outcome of outcomes) report.outcomes.push(outcome)
    return onProgress?.({ ...report, outcomes })
  }

  async function sendPart({ number, entries }: Part<Row>): Promise<void> {
    signal?.throwIfAborted()
    const now = clock.now()
    const digest = digestOf([message, entries.map(({ sent }) => sent)])
    const earlier = parts[number]
    if (earlier && earlier.digest !== digest) {
      throw new TypeError(`Expected the message and the list to resume; part ${number} differs.`)
    }
    if (earlier?.done) return settle(entries, { status: 'skipped' })
    if (earlier && (resend === 'when-safe' || (resend === 'with-key' && now - earlier.at > keyLife))) {
      const error = new Error('An earlier run may have sent it.')
      return settle(entries, { status: 'uncertain', error })
    }
    const part = earlier ?? { at: now, digest, done: false }
    parts[number] = part
    // Written down before it goes out, so that a run that is cut short can be resumed without a second send.
    await tell()
    for (let rest = entries, round = 0; rest.length; round++) {
      const body = { ...message, Recipients: rest.map(({ sent }) => sent) }
      const idempotencyKey = `${key}-${number}-${round}`
      try {
        const results = await call('sendBulkSms', { body }, { ...callOptions, idempotencyKey })
        for (const [at, entry] of rest.entries()) {
          const result = results[at]
          settle(
            [entry],
            result ? { status: 'accepted', result } : { status: 'uncertain', error: new Error('No result.') },
          )
        }
        break
      } catch (error) {
        const isKnown = error instanceof WigwagError && !error.uncertain
        const errors = isKnown && error instanceof GatewayError ? error.errors : []
        const byRecipient = new Map(errors.map((field) => [field.pointer.split('/')[2], field]))
        // Whom the gateway names is left out, and the others are sent.
        const kept = rest.filter((entry, at) => {
          const field = byRecipient.get(String(at))
          if (field) settle([entry], { status: 'refused', error, field })
          return !field
        })
        if (kept.length === rest.length) {
          // A refusal at the door says nothing of what an earlier run had sent.
          const isRefused = isKnown && !earlier
          if (isRefused) parts[number] = null
          settle(rest, { status: isRefused ? 'refused' : 'uncertain', error })
          throw error
        }
        rest = kept
      }
    }
    part.done = true
  }

  const queue = cut(message, rows, partSize)
  const work = async () => {
    try {
      // Several take parts from one queue. The first that fails closes it.
      for await (const part of queue) await sendPart(part).finally(tell)
    } catch (error) {
      report.error ??= error
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency | 0) }, work))
  return report
}
