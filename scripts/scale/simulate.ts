import { createBatcher } from './batcher.ts'
import {
  createHost,
  createLocks,
  createLog,
  createRandom,
  createThread,
  createTimeline,
  type Host,
  play,
  type Step,
  type Steps,
  type Timeline,
} from './machine.ts'

/** Processor time in microseconds: of each message, and of each statement however many messages it holds. */
export interface Cost {
  message: number
  statement: number
}

export interface Costs {
  /** Of each request, on the side of the load. */
  client: number
  accept: { gateway: Cost; database: Cost }
  finish: { gateway: Cost; database: Cost }
}

export interface Model {
  costs: Costs
  /** Of one machine that carries everything, the load too; or of each gateway and of the database. */
  processors: { shared: number } | { gateway: number; database: number }
  gateways: number
  connections: number
  /** How many rows the money is in. */
  wallets: number
  /** What decides from which row a message is paid: its client, its gateway, or each in turn. */
  paidBy: 'connection' | 'gateway' | 'turn'
  /** Measured flushes of the database's disk; each simulated one takes as long as one of them. */
  flushesUs: readonly number[]
  /** What a commit waits for besides the flush: a standby elsewhere. */
  standbyUs: number
  /** What is lost when one process hands on to another that sleeps. */
  hopUs: number
  /** From the submission to the receipt. */
  carrierUs: number
  seconds: number
  seed: number
}

export interface Simulated {
  accepted: number
  finals: number
  acceptsPerSecond: number
  finalsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Messages in each statement, on average. */
  acceptBatch: number
  finishBatch: number
  statements: { accept: number; finish: number }
  /** How long a statement holds its wallets and how long it waited for them, on average. */
  holdMs: number
  lockWaitMs: number
  /** How long all processors were busy until everything was final, by their own count. */
  busyUs: number
}

/** The gateway's own limits: sending/accept.ts, platform/database/postgres.ts, delivery/finish/receipts.ts, config.ts. */
export const GATEWAY = { mostAccepts: 1_000, acceptsAtOnce: 2, mostEndings: 256, gatherUs: 10_000 }

/** The first part of the time is not counted: nothing is final yet. */
const WARM = 0.2

/** Clients begin within this time, so that they don't march in step. */
const START_US = 50_000

interface Message {
  wallet: number
  answered(): void
}

/**
 * Clients who send again once they are answered; gateways that accept and end messages in batches; a database that
 * locks the wallets of a batch, works, flushes its log together with others, and lets go. It runs until all is final.
 */
export function simulate(model: Model): Simulated {
  const { costs, processors, gateways, connections, wallets, paidBy, flushesUs, hopUs, carrierUs } = model
  const timeline = createTimeline()
  const random = createRandom(model.seed)
  const flushUs = () => flushesUs[Math.floor(random() * flushesUs.length)] ?? 0
  const hosts = hostsOf(timeline, processors)
  const log = createLog(timeline, flushUs)
  const locks = createLocks()

  const until = model.seconds * 1e6
  const countedFrom = until * WARM
  const latencies: number[] = []
  const count = { accepted: 0, finals: 0, finalsInTime: 0, accepts: 0, endings: 0 }
  const locked = { times: 0, holdUs: 0, waitUs: 0 }
  const after =
    (us: number): Step =>
    (done) =>
      timeline.after(us, done)
  const hop = after(hopUs)
  const onDatabase =
    (us: number): Step =>
    (done) =>
      hosts.database.run(us, done)

  /** A statement that is committed by itself: it holds its wallets until the flush is over. */
  function* write(batch: readonly Message[], { statement, message }: Cost): Steps {
    const rows = [...new Set(batch.map(({ wallet }) => wallet))].sort((a, b) => a - b)
    const askedAt = timeline.now()
    for (const row of rows) yield (done) => locks.take(row, done)
    const lockedAt = timeline.now()
    yield onDatabase(statement + message * batch.length)
    yield log.commit
    yield after(model.standbyUs)
    locked.times++
    locked.waitUs += lockedAt - askedAt
    locked.holdUs += timeline.now() - lockedAt
    for (const row of rows) locks.release(row)
  }

  function createGateway(): (message: Message) => void {
    const thread = createThread(hosts.ofGateway())
    const work =
      (us: number): Step =>
      (done) =>
        thread.run(us, done)

    const accept = createBatcher<Message>({
      ...{ timeline, thread, gatherUs: 0 },
      ...{ most: GATEWAY.mostAccepts, atOnce: GATEWAY.acceptsAtOnce },
      *run(batch) {
        const { gateway, database } = costs.accept
        count.accepts++
        yield work(gateway.statement)
        yield hop
        yield* write(batch, database)
        yield hop
        yield work(0)
        for (const message of batch) play(depart(message))
      },
    })

    /** Half of what an ending costs the gateway is paid for the submission. */
    function* depart(message: Message): Steps {
      timeline.after(hopUs, message.answered)
      yield work(costs.finish.gateway.message / 2)
      yield after(carrierUs)
      yield work(0)
      finish(message)
    }

    /** Two statements: one reads the messages, the other ends them. */
    const finish = createBatcher<Message>({
      ...{ timeline, thread, gatherUs: GATEWAY.gatherUs },
      ...{ most: GATEWAY.mostEndings, atOnce: 1 },
      *run(batch) {
        const { gateway, database } = costs.finish
        count.endings++
        yield work(gateway.statement)
        yield hop
        yield onDatabase(database.statement)
        yield hop
        yield work(gateway.statement + (gateway.message / 2) * batch.length)
        yield hop
        yield* write(batch, database)
        yield hop
        yield work(0)
        count.finals += batch.length
        if (timeline.now() >= countedFrom && timeline.now() < until) count.finalsInTime += batch.length
      },
    })

    return function receive(message) {
      work(costs.accept.gateway.message)(() => accept(message))
    }
  }

  const receive = Array.from({ length: gateways }, createGateway)
  let turn = 0

  function converse(connection: number): void {
    const gateway = connection % gateways
    const walletOf = {
      connection: () => connection % wallets,
      gateway: () => gateway % wallets,
      turn: () => turn++ % wallets,
    }
    const send = () => {
      if (timeline.now() >= until) return
      hosts.client.run(costs.client, () => {
        const sentAt = timeline.now()
        const message = { wallet: walletOf[paidBy](), answered: () => answered(sentAt) }
        timeline.after(hopUs, () => receive[gateway]?.(message))
      })
    }
    const answered = (sentAt: number) => {
      count.accepted++
      const now = timeline.now()
      if (now >= countedFrom && now < until) latencies.push(now - sentAt)
      send()
    }
    send()
  }

  for (let connection = 0; connection < connections; connection++)
    timeline.after(random() * START_US, () => converse(connection))
  timeline.run()

  latencies.sort((a, b) => a - b)
  const quantileMs = (q: number) => (latencies[Math.floor(latencies.length * q)] ?? 0) / 1_000
  const countedSeconds = (until - countedFrom) / 1e6
  return {
    accepted: count.accepted,
    finals: count.finals,
    acceptsPerSecond: latencies.length / countedSeconds,
    finalsPerSecond: count.finalsInTime / countedSeconds,
    p50Ms: quantileMs(0.5),
    p99Ms: quantileMs(0.99),
    acceptBatch: count.accepted / count.accepts,
    finishBatch: count.finals / count.endings,
    statements: { accept: count.accepts, finish: count.endings },
    holdMs: locked.holdUs / locked.times / 1_000,
    lockWaitMs: locked.waitUs / locked.times / 1_000,
    busyUs: hosts.all.reduce((sum, host) => sum + host.busy(), 0),
  }
}

function hostsOf(timeline: Timeline, processors: Model['processors']) {
  const all: Host[] = []
  function hostWith(count: number): Host {
    const host = createHost(timeline, count)
    all.push(host)
    return host
  }
  if ('shared' in processors) {
    const host = hostWith(processors.shared)
    // The load of a measurement is one process.
    return { all, database: host, client: createThread(host), ofGateway: () => host }
  }
  return {
    all,
    database: hostWith(processors.database),
    client: hostWith(Number.POSITIVE_INFINITY),
    ofGateway: () => hostWith(processors.gateway),
  }
}
