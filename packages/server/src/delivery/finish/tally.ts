import type { Parts } from '../../flow/parts.ts'
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

/** Counts gather for so long: with each batch of endings, all gateways would queue for the rows of a busy carrier. */
const STORE_EVERY_MS = 10 * SECOND_MS

/**
 * Counts how messages end, by carrier and network. These are statistics, not books: a process that is killed loses those
 * of its last ten seconds.
 */
export class DeliveryTally {
  readonly #database: Pick<Database, 'write'>
  readonly #clock: Parts['clock']
  readonly #onFault: (error: unknown) => void
  readonly #metrics: ReturnType<typeof metricsOf>
  #rows = new Map<string, Row>()
  #storing: Promise<void> | undefined
  #cancel: (() => void) | undefined

  constructor(
    parts: Pick<Parts, 'clock' | 'metrics'> & { database: Pick<Database, 'write'> },
    onFault: (error: unknown) => void,
  ) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#onFault = onFault
    this.#metrics = metricsOf(parts.metrics)
  }

  /** Whether nothing is being stored. */
  idle(): boolean {
    return this.#storing === undefined
  }

  count(ended: readonly EndedMessage[]): void {
    const now = this.#clock.now()
    for (const message of ended) {
      const { carrier, status, submittedAt } = message
      if (!isCounted(status)) continue
      const row = this.#rowOf(message, now - (now % HOUR_MS))
      row[status]++
      this.#metrics.ended.inc({ carrier, status })
      if (status !== 'success' || submittedAt === 0) continue
      const tookMs = Math.max(0, now - submittedAt)
      row[columnOf(tookMs)]++
      this.#metrics.receipts.observe({ carrier }, tookMs / SECOND_MS)
    }
    this.#storeLater()
  }

  /** Stores what was counted, or else keeps it for the next time. */
  async store(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    await this.#storing
    if (this.#rows.size === 0) return
    const rows = [...this.#rows.values()]
    this.#rows = new Map()
    this.#storing = this.#database
      .write((tx) => addDeliveries(tx, rows), { patient: true })
      .catch((error) => {
        for (const row of rows) this.#add(row)
        this.#storeLater()
        this.#onFault(error)
      })
      .finally(() => {
        this.#storing = undefined
      })
    await this.#storing
  }

  /** Only while there is something to store, so that a clock that is moved by days has nothing to stop for. */
  #storeLater(): void {
    if (this.#rows.size > 0) this.#cancel ??= this.#clock.after(STORE_EVERY_MS, () => void this.store())
  }

  #rowOf({ carrier, country, network }: EndedMessage, hour: number): Row {
    const key = JSON.stringify([carrier, hour, country, network ?? ''])
    const found = this.#rows.get(key)
    if (found) return found
    const none = Object.fromEntries(COUNTS.map((name) => [name, 0])) as DeliveryCounts
    const row = { carrier, hour, country, network: network ?? '', ...none }
    this.#rows.set(key, row)
    return row
  }

  #add(row: Row): void {
    const sum = this.#rowOf({ ...row, status: 'success', submittedAt: 0 }, row.hour)
    for (const name of COUNTS) sum[name] += row[name]
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

/** In a fixed order, so that two gateways cannot deadlock. */
async function addDeliveries({ run }: Tx, rows: readonly Row[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const sums = COUNTS.map((name) => `${name} = t.${name} + excluded.${name}`)
  await inChunks(sorted, async (chunk) => {
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
