import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Metrics, Sample, Watched } from '../../platform/metrics.ts'
import type { Fleet } from '../fleet.ts'
import { type CarrierMessages, messagesByCarrier } from './overview.ts'

const UP: Watched = {
  name: 'wigwag_carrier_up',
  help: 'Whether this process can submit to the carrier: 1 if so, 0.5 while the carrier rests, 0 if it is away or paused.',
  labels: ['carrier'],
}
const SIMULATED: Watched = {
  name: 'wigwag_carrier_simulated',
  help: 'Whether the carrier is the simulator, which sends nothing: 1 if so.',
  labels: ['carrier'],
}
const WINDOW: Watched = {
  name: 'wigwag_carrier_unanswered',
  help: 'Submissions of this process that the carrier has not answered yet.',
  labels: ['carrier'],
}
const RESTS: Watched = {
  name: 'wigwag_carrier_rests_total',
  help: 'How often the carrier asked for fewer messages.',
  labels: ['carrier'],
  counter: true,
}
const UNREADABLE: Watched = {
  name: 'wigwag_receipts_unreadable_total',
  help: 'Receipts of the carrier that could not be read.',
  labels: ['carrier'],
  counter: true,
}
const INBOUND: Watched = {
  name: 'wigwag_carrier_inbound_total',
  help: 'Messages from phones, which are acknowledged and dropped.',
  labels: ['carrier'],
  counter: true,
}
const QUEUE: Watched = {
  name: 'wigwag_carrier_queue_messages',
  help: 'Messages that wait to be submitted, in all processes. Those without a carrier have an empty name.',
  labels: ['carrier'],
}
const AGE: Watched = {
  name: 'wigwag_carrier_queue_age_seconds',
  help: 'How long ago the first of them was to go.',
  labels: ['carrier'],
}
const UNCERTAIN: Watched = {
  name: 'wigwag_messages_uncertain',
  help: 'Messages whose carrier never said whether it took them.',
  labels: ['carrier'],
}
const EARLY: Watched = {
  name: 'wigwag_receipts_early',
  help: 'Receipts that came before their reference, or that belong to no message.',
  labels: ['carrier'],
}

const COUNTED_MS = 15_000

export interface CarrierMetricsOptions {
  database: Database
  clock: Clock
  metrics: Metrics
  fleet: Fleet
}

/** Shows how the carriers are and what waits for them. */
export function watchCarriers({ database, clock, metrics, fleet }: CarrierMetricsOptions): void {
  const carrierMessages = () =>
    database.read((tx) =>
      messagesByCarrier(
        tx,
        [...fleet.all()].map(({ carrier }) => carrier.name),
        clock.now(),
      ),
    )
  let known: Promise<CarrierMessages[]> | undefined
  let readAt = 0
  /** Counting what waits reads all of it, so it is not done at each scrape. */
  const recentMessages = () => {
    if (!known || clock.elapsed() - readAt > COUNTED_MS) {
      readAt = clock.elapsed()
      known = carrierMessages()
      // A failure is not kept.
      known.catch(() => {
        known = undefined
      })
    }
    return known
  }
  metrics.watch(
    [UP, SIMULATED, WINDOW, RESTS, UNREADABLE, INBOUND, QUEUE, AGE, UNCERTAIN, EARLY],
    async () => [
      ...[...fleet.all()].flatMap(({ carrier, settings, paused }) => {
        const { kind, inWindow, rests, unreadable, inbound } = carrier.state()
        const up = paused ? 0 : { up: 1, resting: 0.5, away: 0 }[kind]
        return [
          sample(UP, carrier.name, up),
          sample(SIMULATED, carrier.name, settings.kind === 'simulator' ? 1 : 0),
          sample(WINDOW, carrier.name, inWindow),
          sample(RESTS, carrier.name, rests),
          sample(UNREADABLE, carrier.name, unreadable),
          sample(INBOUND, carrier.name, inbound),
        ]
      }),
      ...(await recentMessages()).flatMap((each) => ofMessages(each, clock.now())),
    ],
  )
}

function ofMessages({ carrier, waiting, oldest, uncertain, early }: CarrierMessages, now: number): Sample[] {
  return [
    sample(QUEUE, carrier, waiting),
    sample(AGE, carrier, oldest === undefined ? 0 : Math.max(0, now - oldest) / 1_000),
    sample(UNCERTAIN, carrier, uncertain),
    sample(EARLY, carrier, early),
  ]
}

function sample({ name }: Watched, carrier: string, value: number): Sample {
  return { name, labels: { carrier }, value }
}
