import type { Row } from '../bench/row.ts'
import type { Disk } from './disk.ts'
import { bytes, perSecond, us } from './figures.ts'
import {
  BUSY,
  capacity,
  endingsOfGateway,
  FULL,
  gigabytesOfMonth,
  logCapacity,
  walletCapacity,
} from './paper.ts'
import type { Costs } from './simulate.ts'

export interface Found {
  costs: Costs
  disk: Disk
  commitUs: number
  /** Of a message, under the largest load that was measured. */
  gatewayUs: number
  databaseUs: number
  walBytes: number
  keptBytes: number
  /** Messages in a batch, under the same load. */
  batches: { accept: number; finish: number }
}

const DATABASE_PROCESSORS = [2, 8, 32]
const GATEWAY_PROCESSES = [4, 16]
const PARTITIONS = [2, 4, 8]
const PARTITION_PROCESSORS = 8
/** A standby in the same building, the same country, the same continent, and beyond an ocean. */
const STANDBY_MS = [1, 10, 30, 80]
/** A line of a gigabit. */
const LINE_BYTES = 125e6
const RATES = [100, 1_000]

/** What larger systems hold, each by a formula that its row says in words. */
export function* capacities(found: Found): Generator<Row> {
  const { costs, disk, commitUs, gatewayUs, databaseUs, walBytes, keptBytes, batches } = found
  const part = `${BUSY * 100} %`
  const row = (what: string, figure: string): Row => ({ what, figure, goal: '' })

  yield row(`one gateway process: ${part} of a second / ${us(gatewayUs)}`, perSecond(capacity(1, gatewayUs)))
  for (const processes of GATEWAY_PROCESSES)
    yield row(
      `${processes} gateway processes, a processor each: ${processes} times that`,
      perSecond(capacity(processes, gatewayUs)),
    )
  for (const processors of DATABASE_PROCESSORS)
    yield row(
      `one PostgreSQL with ${processors} processors: ${processors} × ${part} of a second / ${us(databaseUs)}`,
      perSecond(capacity(processors, databaseUs)),
    )
  yield row(
    'gateway processes for each 8 processors of PostgreSQL',
    ((PARTITION_PROCESSORS * gatewayUs) / databaseUs).toFixed(1),
  )
  yield row(
    `the log on this disk: ${part} of what it stores / ${bytes(walBytes)} a message`,
    perSecond(logCapacity(walBytes, disk.bytesPerSecond)),
  )
  yield row(
    `the log to a standby over a gigabit: ${part} of it / ${bytes(walBytes)} a message`,
    perSecond(logCapacity(walBytes, LINE_BYTES)),
  )
  yield row(
    `one message in a batch, one after the other: ${part} of a second / two flushes`,
    perSecond(capacity(1, 2 * commitUs)),
  )

  const here = { costs, commitUs }
  yield row(
    `one wallet, batches as measured (${batches.accept.toFixed(0)} accepts, ${batches.finish.toFixed(0)} endings): a second / how long a message's part of each batch holds the row`,
    perSecond(walletCapacity(here, batches)),
  )
  yield row(
    `one wallet, full batches (${FULL.accept.toLocaleString('en')} accepts, ${FULL.finish} endings): the same`,
    perSecond(walletCapacity(here, FULL)),
  )
  yield row('endings of one gateway: full batches, one after the other', perSecond(endingsOfGateway(here)))

  for (const count of PARTITIONS)
    yield row(
      `${count} databases with ${PARTITION_PROCESSORS} processors, by account: ${count} times one`,
      perSecond(capacity(count * PARTITION_PROCESSORS, databaseUs)),
    )

  for (const ms of STANDBY_MS) {
    const away = { costs, commitUs: commitUs + ms * 1_000 }
    yield row(
      `one wallet, a standby ${ms} ms away and back, batches as measured`,
      perSecond(walletCapacity(away, batches)),
    )
    yield row('  the same, full batches', perSecond(walletCapacity(away, FULL)))
    yield row('  endings of one gateway', perSecond(endingsOfGateway(away)))
  }

  for (const rate of RATES)
    yield row(
      `a month of ${rate.toLocaleString('en')} a second: kept, and log to archive`,
      `${[keptBytes, walBytes].map((each) => gigabytesOfMonth(each, rate).toFixed(0)).join(' + ')} GB`,
    )
}
