import type { Transport } from '../calls/transport.ts'
import { GatewayError, WigwagError } from '../errors.ts'
import type { Recipient } from '../types.ts'
import type { Fate, ManyCheckpoint, ManyMessage, ManyOptions, ManyOutcome, ManyReport } from './bulk-types.ts'
import { cut, digestOf, type Entry, type Part } from './parts.ts'

/** The gateway keeps keys for 24 hours; one hour less allows for clocks that differ. */
const keyLife = 23 * 3_600_000

/**
 * Sends one text to any number of recipients, in parts. Each part's idempotency key is made of the run's key and the
 * part's number, so that a part repeated in this run or a resumed one goes out once.
 *
 * It does not reject when a part fails, because the caller then could not tell who got the message: the report says
 * that. A part that fails as a whole stops the run, since the next one would most likely fail too.
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
    // The checkpoint is reported before the part goes out, so that a crashed run can be resumed without sending twice.
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
        // Recipients that the gateway refused are left out, and the others are sent.
        const kept = rest.filter((entry, at) => {
          const field = byRecipient.get(String(at))
          if (field) settle([entry], { status: 'refused', error, field })
          return !field
        })
        if (kept.length === rest.length) {
          // A refusal now says nothing about what an earlier run has sent.
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
      // All workers take parts from one queue. The first failure closes it.
      for await (const part of queue) await sendPart(part).finally(tell)
    } catch (error) {
      report.error ??= error
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency | 0) }, work))
  return report
}
