import { expect, onTestFinished } from 'vitest'
import type { Carrier, Receipt, Submission, SubmitOutcome } from '../../../src/delivery/carrier.ts'
import { keepHidden, type SmppSettings } from '../../../src/delivery/carriers/settings.ts'
import { SmppCarrier } from '../../../src/delivery/carriers/smpp.ts'
import { epochMs, isTicket, type Ticket } from '../../../src/kernel/ids.ts'
import { type Clock, systemClock } from '../../../src/kernel/process/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { overTime } from '../../support/hand-clock.ts'

/** Longer than a slow machine takes for anything. On a clock by hand too, which may be far ahead of the sockets. */
const AN_HOUR_MS = 3_600_000

/** As they are read: a copy by spreading lacks the password. */
export function settingsFor(port: number, changes: Partial<SmppSettings> = {}): SmppSettings {
  const settings: SmppSettings = {
    kind: 'smpp',
    name: 'north',
    host: '127.0.0.1',
    port,
    tls: false,
    systemId: 'demo',
    password: 'secret',
    systemType: '',
    version: '3.4',
    bind: 'transceiver',
    binds: 1,
    window: 10,
    tps: 0,
    alphabet: 'gsm',
    long: 'udh',
    ids: 'same',
    receipts: 'each',
    unanswered: 'hold',
    query: false,
    flash: false,
    serviceType: '',
    numbers: {
      alphanumeric: { ton: 5, npi: 0 },
      short: { ton: 3, npi: 0 },
      international: { ton: 1, npi: 1 },
      recipient: { ton: 1, npi: 1 },
    },
    statuses: new Map(),
    enquireMs: AN_HOUR_MS,
    responseMs: AN_HOUR_MS,
    reconnectMs: 20,
    ...changes,
  }
  return keepHidden(settings, 'password')
}

let tickets = 0
function ticket(): Ticket {
  const text = `01890000-0000-7000-8000-${(++tickets).toString(16).padStart(12, '0')}`
  if (!isTicket(text)) throw new Error(text)
  return text
}

export function submission(changes: Partial<Submission> = {}): Submission {
  return {
    ticket: ticket(),
    sender: 'Wigwag',
    recipient: '233240000000',
    content: 'Hello',
    encoding: 'GSM-7',
    expiresAt: epochMs(systemClock.now() + 2 * 86_400_000),
    reference: 0x1234,
    taken: [],
    ...changes,
  }
}

/** Where a carrier has its connections. */
export type Hosting = (settings: SmppSettings, clock: Clock) => Carrier

export const inFirstThread: Hosting = (settings, clock) =>
  new SmppCarrier(settings, { clock, random: () => 0.5 })

/** A carrier that is started, and closed with the test. */
export function carrierTo(
  port: number,
  changes: Partial<SmppSettings> = {},
  clock: Clock = systemClock,
  hosting = inFirstThread,
) {
  const carrier = hosting(settingsFor(port, changes), clock)
  const receipts: Receipt[] = []
  const batches: number[] = []
  const late: { ticket: Ticket; outcome: SubmitOutcome }[] = []
  let changed = 0
  const events = {
    async onReceipts(given: readonly Receipt[]): Promise<void> {
      receipts.push(...given)
      batches.push(given.length)
    },
    onFault: (error: unknown): unknown => expect.unreachable(String(error)),
  }
  carrier.start({
    onReceipts: (given) => events.onReceipts(given),
    onLateAnswer: (about, outcome) => late.push({ ticket: about, outcome }),
    onChange: () => {
      changed++
    },
    onFault: (error) => events.onFault(error),
  })
  onTestFinished(() => overTime(clock, carrier.close(0)))
  return { carrier, receipts, batches, late, events, changes: () => changed }
}

export async function up(carrier: Carrier): Promise<void> {
  await eventually('the carrier to be up', () => carrier.state().kind === 'up')
}
