import type { Parts } from '../../flow/parts.ts'
import { Tally } from '../../flow/tally.ts'
import type { FinalStatus } from '../../kernel/message.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/time/spans.ts'
import type { Database, Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'

/** How a message ended that had been meant to go out. */
export interface EndedMessage {
  /** Empty where it had none. */
  carrier: string
  country: string
  network: string | null
  status: FinalStatus
  /** When its carrier took it; 0 where that is unknown. */
  submittedAt: number
}

/** The longest time from a carrier's answer to the receipt, by the name of its column. Longer ones are `later`. */
const RECEIPT_WITHIN = {
  in5s: 5 * SECOND_MS,
  in30s: 30 * SECOND_MS,
  in2m: 2 * MINUTE_MS,
  in10m: 10 * MINUTE_MS,
} as const
const STATUSES = ['success', 'undelivered', 'expired', 'rejected', 'failed'] as const
const COUNTS = [
  ...STATUSES,
  ...(Object.keys(RECEIPT_WITHIN) as (keyof typeof RECEIPT_WITHIN)[]),
  'later',
] as const

type Status = (typeof STATUSES)[number]
export type DeliveryCounts = Record<(typeof COUNTS)[number], number>

interface Row extends DeliveryCounts {
  carrier: string
  hour: number
  country: string
  network: string
}

const NONE = Object.fromEntries(COUNTS.map((name) => [name, 0])) as DeliveryCounts

const STORE_EVERY_MS = 10 * SECOND_MS

/** Counts how messages end, by carrier and network. */
export class DeliveryTally {
  readonly #clock: Parts['clock']
  readonly #metrics: ReturnType<typeof metricsOf>
  readonly #rows: Tally<Row>

  constructor(
    parts: Pick<Parts, 'clock' | 'metrics'> & { database: Pick<Database, 'write'> },
    onFault: (error: unknown) => void,
  ) {
    this.#clock = parts.clock
    this.#metrics = metricsOf(parts.metrics)
    this.#rows = new Tally(parts, onFault, {
      everyMs: STORE_EVERY_MS,
      keyOf,
      add(sum, more) {
        for (const name of COUNTS) sum[name] += more[name]
      },
      store: addDeliveries,
    })
  }

  /** Whether nothing is being stored. */
  idle(): boolean {
    return this.#rows.idle()
  }

  count(ended: readonly EndedMessage[]): void {
    const now = this.#clock.now()
    const hour = now - (now % HOUR_MS)
    for (const { carrier, country, network, status, submittedAt } of ended) {
      if (!isCounted(status)) continue
      this.#metrics.ended.inc({ carrier, status })
      const counts = { ...NONE, [status]: 1 }
      if (status === 'success' && submittedAt > 0) {
        const tookMs = Math.max(0, now - submittedAt)
        counts[columnOf(tookMs)] = 1
        this.#metrics.receipts.observe({ carrier }, tookMs / SECOND_MS)
      }
      this.#rows.count({ carrier, hour, country, network: network ?? '', ...counts })
    }
  }

  /** Stores what was counted, or else keeps it for the next time. */
  store(): Promise<void> {
    return this.#rows.store()
  }
}

function metricsOf(metrics: Parts['metrics']) {
  return {
    ended: metrics.counter(
      'wigwag_deliveries_total',
      'This process: messages that ended, by carrier and status. Those without a carrier have an empty name.',
      ['carrier', 'status'],
    ),
    receipts: metrics.histogram({
      name: 'wigwag_receipt_seconds',
      help: 'This process: how long after a carrier took a message its receipt said that it was delivered.',
      labels: ['carrier'],
      buckets: [1, 5, 30, 120, 600, 3_600],
    }),
  }
}

/** A message that was cancelled was not meant to go out any more. */
function isCounted(status: FinalStatus): status is Status {
  return STATUSES.some((counted) => counted === status)
}

function columnOf(tookMs: number): keyof typeof RECEIPT_WITHIN | 'later' {
  for (const [name, mostMs] of Object.entries(RECEIPT_WITHIN) as [keyof typeof RECEIPT_WITHIN, number][])
    if (tookMs <= mostMs) return name
  return 'later'
}

async function addDeliveries({ run }: Tx, rows: readonly Row[]): Promise<void> {
  const sums = COUNTS.map((name) => `${name} = t.${name} + excluded.${name}`)
  await inChunks(rows, async (chunk) => {
    await run(
      `INSERT INTO carrier_deliveries AS t (carrier, hour, country, network, ${COUNTS.join(', ')})
       VALUES ${placeholders(chunk.length, 4 + COUNTS.length)}
       ON CONFLICT (carrier, hour, country, network) DO UPDATE SET ${sums.join(', ')}`,
      chunk.flatMap((row) => [
        row.carrier,
        row.hour,
        row.country,
        row.network,
        ...COUNTS.map((name) => row[name]),
      ]),
    )
  })
}

function keyOf({ carrier, hour, country, network }: Row): string {
  return [carrier, hour, country, network].join('\n')
}
