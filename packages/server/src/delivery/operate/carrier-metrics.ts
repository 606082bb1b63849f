import type { Parts } from '../../flow/parts.ts'
import { COUNT_KEPT_MS, type Sample, type Watched } from '../../kernel/process/metrics.ts'
import type { Fleet } from '../fleet.ts'
import { type CarrierMessages, messagesByCarrier } from './overview.ts'

/** The rows of waiting messages are read to count them, which takes ten times as long as to read an index. */
const MOST_READ = 10_000

const UP: Watched = {
  name: 'wigwag_carrier_up',
  help: 'This process: whether it can submit to the carrier: 1 if so, 0.5 while the carrier rests, 0 if it is away or paused.',
  labels: ['carrier'],
  aggregator: 'average',
}
const SIMULATED: Watched = {
  name: 'wigwag_carrier_simulated',
  help: 'This process: whether the carrier is the simulator, which sends nothing: 1 if so.',
  labels: ['carrier'],
  aggregator: 'max',
}
const WINDOW: Watched = {
  name: 'wigwag_carrier_unanswered',
  help: 'This process: submissions that the carrier has not answered yet.',
  labels: ['carrier'],
}
const RESTS: Watched = {
  name: 'wigwag_carrier_rests_total',
  help: 'This process: how often the carrier asked for fewer messages.',
  labels: ['carrier'],
  counter: true,
}
const UNREADABLE: Watched = {
  name: 'wigwag_receipts_unreadable_total',
  help: 'This process: receipts of the carrier that could not be read.',
  labels: ['carrier'],
  counter: true,
}
const INBOUND: Watched = {
  name: 'wigwag_carrier_inbound_total',
  help: 'This process: messages from phones, which are acknowledged and dropped.',
  labels: ['carrier'],
  counter: true,
}
const QUEUE: Watched = {
  name: 'wigwag_carrier_queue_messages',
  help: `The database: messages that wait to be submitted. Those without a carrier have an empty name. Counted up to ${MOST_READ}.`,
  labels: ['carrier'],
  aggregator: 'max',
}
const AGE: Watched = {
  name: 'wigwag_carrier_queue_age_seconds',
  help: `The database: how long ago the first of ${MOST_READ} waiting messages was to go.`,
  labels: ['carrier'],
  aggregator: 'max',
}
const UNCERTAIN: Watched = {
  name: 'wigwag_messages_uncertain',
  help: 'The database: messages whose carrier never said whether it took them.',
  labels: ['carrier'],
  aggregator: 'max',
}
const EARLY: Watched = {
  name: 'wigwag_receipts_early',
  help: 'The database: receipts that came before their reference, or that belong to no message.',
  labels: ['carrier'],
  aggregator: 'max',
}

/** Shows how the carriers are and what waits for them. */
export function watchCarriers(
  { database, clock, metrics }: Pick<Parts, 'database' | 'clock' | 'metrics'>,
  fleet: Fleet,
): void {
  metrics.watch([UP, SIMULATED, WINDOW, RESTS, UNREADABLE, INBOUND], async () =>
    [...fleet.all()].flatMap(({ carrier, settings, paused }) => {
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
  )
  async function waiting(): Promise<Sample[]> {
    const carriers = [...fleet.all()].map(({ carrier }) => carrier.name)
    const now = clock.now()
    const found = await database.read((tx) => messagesByCarrier(tx, carriers, { now, most: MOST_READ }))
    return found.flatMap((each) => ofMessages(each, now))
  }
  metrics.watch([QUEUE, AGE, UNCERTAIN, EARLY], waiting, { keepMs: COUNT_KEPT_MS })
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
