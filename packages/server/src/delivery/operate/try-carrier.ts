import type { Ticket } from '../../domain/ids.ts'
import { epochMs } from '../../domain/ids.ts'
import { checkContent } from '../../domain/text/segments.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Carrier, SubmitOutcome } from '../carrier.ts'
import { randomReference } from '../submit/long-references.ts'

export interface Trial {
  ticket: Ticket
  sender: string
  recipient: string
  content: string
}

/** What the carrier said, for people. */
export function outcomeInWords(carrier: string, outcome: SubmitOutcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return `${carrier} took it as ${outcome.refs.map(({ ref }) => ref).join(', ') || 'a message without a reference'}.`
    case 'partly':
      return `${carrier} took ${outcome.refs.length} of ${outcome.parts} parts.`
    case 'uncertain':
      return `${carrier} did not answer: it may have taken it.`
    case 'rejected':
      return `${carrier} refused it: ${outcome.reason}`
    case 'not_taken':
    case 'later':
      return `${carrier} did not take it now: ${outcome.reason}`
  }
}

const CONNECT_MS = 5_000
const POLL_MS = 50
const VALIDITY_MS = 3_600_000

/**
 * Submits one message to a carrier outside of any account, over a separate connection that takes no receipts. Rejects
 * when there is no connection.
 */
export async function tryCarrier(carrier: Carrier, trial: Trial, clock: Clock): Promise<SubmitOutcome> {
  let fault: unknown
  carrier.start({
    onReceipts: async () => {},
    onLateAnswer() {},
    onChange() {},
    onFault(error) {
      fault = error
    },
  })
  try {
    const deadline = clock.elapsed() + CONNECT_MS
    while (carrier.capacity() === 0) {
      if (clock.elapsed() > deadline)
        throw new Error(`no connection within ${CONNECT_MS / 1_000} s: ${carrier.state().reason}`)
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve))
    }
    const { encoding } = checkContent(trial.content)
    const expiresAt = epochMs(clock.now() + VALIDITY_MS)
    const reference = randomReference(trial.ticket)
    const outcome = await carrier.submit({ ...trial, encoding, expiresAt, reference, taken: [] })
    if (fault !== undefined) throw fault
    return outcome
  } finally {
    await carrier.close(CONNECT_MS)
  }
}
