import { type Answer, createPace, type Link, openLink, readInbound, type ShortMessage } from '@wigwag/smpp'
import { plainNumber } from '../../domain/phone/phone.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierState,
  Receipt,
  Submission,
  SubmitOutcome,
  SubmittedPart,
} from '../carrier.ts'
import { idOfAnswer, idOfReceipt } from './smpp-ids.ts'
import { partsFor, sourceOf } from './smpp-message.ts'
import { outcomeOf, receiptOf } from './smpp-outcome.ts'
import type { SmppSettings } from './smpp-settings.ts'

export interface SmppParts {
  clock: Clock
  /** From 0 to 1. */
  random(): number
  /** Takes no receipts: those of a running gateway would be brought here otherwise. */
  submitOnly?: boolean
}

const RECEIPT_EXPECTED_MS = 60_000
/** Messages wait outside of the links, where nothing counts as handed over. */
const WRITTEN_WITHIN_MS = 1_000
/** With a pace, a message is taken at most this long before it may leave. */
const AHEAD_MS = 100
const FIRST_REST_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** PDUs may leave in bursts of a tenth of a second: carriers count in short spans. */
const BURSTS_A_SECOND = 10

/** A carrier that is reached over SMPP, by one or several binds. */
export function createSmppCarrier(
  settings: SmppSettings,
  { clock, random, submitOnly = false }: SmppParts,
): Carrier {
  const { tps, ids, bind } = settings
  const pace = createPace({ tps, burst: tps / BURSTS_A_SECOND, elapsed: clock.elapsed })
  /** The links that submissions go over, and those that only bring receipts. */
  const links: Link[] = []
  const receivers: Link[] = []
  let events: CarrierEvents | undefined
  let unreadable = 0
  let inbound = 0
  /** Whether the caller has seen that there is no capacity, so that it waits to be told. */
  let isFull = false
  let isTimed = false
  let gathered: Gathered | undefined

  function start(listener: CarrierEvents): void {
    events = listener
    for (let count = 0; count < settings.binds; count++) {
      links.push(open(bind === 'pair' || submitOnly ? 'transmitter' : 'transceiver'))
      if (bind === 'pair' && !submitOnly) receivers.push(open('receiver'))
    }
  }

  function open(kind: 'transceiver' | 'transmitter' | 'receiver'): Link {
    const { host, port, tls, systemId, password, systemType } = settings
    const version = settings.version === '5.0' ? 0x50 : 0x34
    return openLink(
      {
        ...settings,
        endpoint: { host, port, tls },
        bind: { kind, systemId, password, systemType, version },
        pace,
        clock,
        random,
        writtenWithinMs: WRITTEN_WITHIN_MS,
        restMs: FIRST_REST_MS,
      },
      { onMessage: hear, onState: () => events?.onChange(), onCapacity: tellOfCapacity },
    )
  }

  function bound(): Link[] {
    return links.filter(({ state }) => state === 'bound')
  }

  function capacity(): number {
    const found = currentCapacity()
    isFull = found === 0
    if (isFull) tellInTime()
    return found
  }

  /** What the links can take, and will soon write. */
  function currentCapacity(): number {
    const inLinks = bound().reduce((sum, link) => sum + link.capacity(), 0)
    const queued = links.reduce((sum, link) => sum + link.queued, 0)
    return Math.max(0, Math.min(inLinks, pace.within(AHEAD_MS) - queued))
  }

  /** A slow pace has no capacity for a while though nothing waits in the links, which would tell of it. */
  function tellInTime(): void {
    const waitMs = pace.waitMs() - AHEAD_MS
    if (isTimed || waitMs <= 0) return
    isTimed = true
    clock.after(Math.ceil(waitMs), () => {
      isTimed = false
      tellOfCapacity()
    })
  }

  /** Not at the first place that becomes free: the caller fetches what fits, and that has a price. */
  function tellOfCapacity(): void {
    if (!isFull) return
    const window = bound().length * settings.window
    const most = tps === 0 ? window : Math.min(window, (tps * AHEAD_MS) / 1_000)
    if (currentCapacity() < Math.max(1, Math.ceil(most / 4))) {
      tellInTime()
      return
    }
    isFull = false
    events?.onChange()
  }

  async function submit(message: Submission): Promise<SubmitOutcome> {
    const link = bound().sort((one, other) => other.capacity() - one.capacity())[0]
    if (!link) return away()
    const parts = written(message)
    if (!parts) return { kind: 'not_taken', reason: 'it cannot be written' }
    const answers = new Map<number, Answer>()
    const outcome = () => outcomeOf(message, answers, parts.length)
    const learn = (part: number, answer: Answer) =>
      answers.set(part, answer.kind === 'accepted' ? { ...answer, id: idOfAnswer(answer.id) } : answer)
    let isReported = false
    let begun = false
    const submitPart = async (short: ShortMessage, part: number) => {
      const late = (answer: Answer) => {
        learn(part, answer)
        if (isReported) events?.onLateAnswer(message.ticket, outcome())
      }
      const continues = begun
      begun = true
      learn(part, await link.submit(short, late, continues))
    }
    await Promise.all(
      parts.flatMap((short, part) => (message.taken.includes(part) ? [] : [submitPart(short, part)])),
    )
    isReported = true
    return outcome()
  }

  /** Undefined for a message that can't be written: certainly nothing of it was sent. */
  function written(message: Submission): ShortMessage[] | undefined {
    try {
      return partsFor(message, clock.now(), settings)
    } catch (error) {
      events?.onFault(error)
      return undefined
    }
  }

  /** The link that is back first says when to try again. */
  function away(): SubmitOutcome {
    const [first] = links.toSorted((one, other) => one.retryMs() - other.retryMs())
    const afterMs = Math.min(Math.max(first?.retryMs() ?? 0, 1), LONGEST_WAIT_MS)
    return { kind: 'later', reason: first?.reason || 'not started', afterMs }
  }

  async function hear(message: ShortMessage): Promise<void> {
    const found = readInbound(message)
    switch (found.kind) {
      case 'message':
        inbound++
        return
      case 'unreadable':
        unreadable++
        // Cut off on its way, it may be whole the next time. Otherwise it would come again for ever.
        if (message.torn) throw new Error(found.why)
        return
      case 'progress':
        return
      case 'receipt': {
        const { id, ...rest } = found.receipt
        const receipt = receiptOf(idOfReceipt(id, ids), rest)
        if (receipt) await keep({ ...receipt, ...sentTo(message) })
      }
    }
  }

  /**
   * Receipts that come together are kept together. Those that could not be kept come again, and the fault is told
   * once.
   */
  function keep(receipt: Receipt): Promise<void> {
    if (gathered) {
      gathered.receipts.push(receipt)
      return gathered.kept
    }
    const receipts = [receipt]
    const kept = Promise.resolve()
      .then(() => {
        gathered = undefined
        return events?.onReceipts(receipts)
      })
      .catch((error: unknown) => {
        events?.onFault(error)
        throw error
      })
    gathered = { receipts, kept }
    return kept
  }

  async function query({ sender, ref }: SubmittedPart): Promise<Receipt | undefined> {
    const answer = await bound()[0]?.query(ref, sourceOf(sender, settings))
    if (answer === undefined || answer.kind === 'unknown') return undefined
    return receiptOf(ref, { state: answer.state, error: '' })
  }

  function state(): CarrierState {
    const resting = links.find((link) => link.state === 'resting')
    const lost = [...links, ...receivers].find((link) => link.state === 'connecting')
    const kind = bound().length > 0 ? 'up' : resting ? 'resting' : 'away'
    return {
      kind,
      reason: (kind === 'resting' ? resting : lost)?.reason ?? (links.length === 0 ? 'not started' : ''),
      inWindow: links.reduce((sum, { unanswered }) => sum + unanswered, 0),
      rests: links.reduce((sum, { rests }) => sum + rests, 0),
      unreadable,
      inbound,
    }
  }

  return {
    name: settings.name,
    receiptExpectedMs: RECEIPT_EXPECTED_MS,
    receipts: settings.receipts,
    hasNumericIds: ids !== 'same',
    unanswered: settings.unanswered,
    capacity: capacity,
    state,
    start,
    submit,
    query: settings.query ? query : undefined,
    async close(withinMs) {
      await Promise.all([...links, ...receivers].map((link) => link.close(withinMs)))
    },
  }
}

/** A receipt comes from the number that its message went to. */
function sentTo({ source }: ShortMessage): Pick<Receipt, 'recipient'> {
  const recipient = plainNumber(source.digits)
  return /^\d{1,15}$/.test(recipient) ? { recipient } : {}
}

/** Receipts that wait for the end of a turn of the event loop. */
interface Gathered {
  receipts: Receipt[]
  kept: Promise<void>
}
