import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { compose, type Gateway } from '../../src/gateway/compose.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { type EpochMs, epochMs } from '../../src/kernel/ids.ts'
import type { OutboundRequest, OutboundResult } from '../../src/net/outbound/port.ts'
import { schemaImage } from '../../src/store/schema/migrate.ts'
import { createMovedClock, TimeLapse } from '../../src/testing/clock.ts'
import { DatabaseWork } from './database-work.ts'
import { type EngineName, makePlace } from './engine.ts'
import { eventually } from './eventually.ts'
import { basic, type Changes } from './harness.ts'
import { openKept } from './kept.ts'
import { PATIENT } from './patient.ts'

/** Where suites run. A file differs from memory in locks and in what a race finds there: such suites run on it too. */
export const ENGINES = ['SQLite in memory', 'PostgreSQL'] as const
export const ENGINES_WITH_FILE = [...ENGINES, 'an SQLite file'] as const

/** A callback as it went out. */
export interface Posted {
  url: string
  headers: Record<string, string>
  body: string
}
/** A receiver's answer, or a failure before it. */
export type Answer = Response | Pick<OutboundResult & { kind: 'failure' }, 'failure' | 'detail'>

export interface BenchOptions {
  database?: string
  startAt?: number
  config?: Partial<Config>
  run?: Partial<RunOptions>
  /** How receivers answer; with 200 when left out. It may be changed while the gateway runs. */
  answer?: (posted: Posted) => Answer | Promise<Answer>
  /** Posts to real receivers, on this machine, instead of `answer`. */
  network?: true
}

export interface Bench extends Gateway {
  demo: AccountSecrets
  posted: Posted[]
  answer: (posted: Posted) => Answer | Promise<Answer>
  now(): EpochMs
  call(method: string, path: string, changes?: Changes, body?: object): Promise<Response>
  /** Lets time pass, and resolves when all that was due has been done, as far as this process knows. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock forward or back. Timers go on as if nothing had happened, as on a machine. */
  jump(ms: number): void
  /** Lets time pass without waiting for what it brings. */
  pass(ms: number): void
  /** Lets a second pass, or another while, again and again until something is so. */
  until(what: string, isSo: () => boolean | Promise<boolean>, stepMs?: number): Promise<void>
  /** As `until` where something hangs, or waits in a line: waits for what the database was asked alone. */
  passUntil(what: string, isSo: () => boolean | Promise<boolean>, stepMs: number): Promise<void>
}

export const START = Date.parse('2026-01-05T09:00:00.125Z')
const A_DAY = 86_400_000
/** So many looks go as quickly as they can. After them, what is looked for hangs on a socket or a disk, in real time. */
const QUICK_LOOKS = 200
const MORE_QUICK_LOOKS = 5_000

/** Opens a place for a gateway's data that is gone when the test is over. */
export async function aPlace(engine: EngineName): Promise<string> {
  const { url, remove } = await makePlace(engine)
  onTestFinished(remove)
  return url
}

/** A gateway on any engine, with receivers that answer as they are told and a clock that only tests move. */
export async function openBench({ database = ':memory:', ...options }: BenchOptions = {}): Promise<Bench> {
  const moved = createMovedClock(epochMs(options.startAt ?? START))
  let offset = 0
  const clock = { now: () => epochMs(moved.now() + offset), elapsed: moved.elapsed, after: moved.after }
  const answer: Bench['answer'] = options.answer ?? (() => new Response())
  const receivers = { answer }
  const work = new DatabaseWork()
  const posted: Posted[] = []
  const config = loadConfig({ database }, {}, import.meta.dirname)
  const gateway = await compose(
    {
      ...config,
      pollMs: A_DAY,
      lowWalletCheckMs: A_DAY,
      alertCheckMs: A_DAY,
      gatherMs: 0,
      ...options.config,
    },
    {
      clock,
      log: pino({ level: 'silent' }),
      image: await schemaImage(),
      ...PATIENT,
      ...options.run,
      openDatabase: (options) => work.of(openKept(options)),
      onFatal(error) {
        throw error
      },
      ...(!options.network && {
        outbound: ({ url, headers, body }: OutboundRequest) => {
          const callback = { url, headers, body: Buffer.from(body ?? '').toString() }
          posted.push(callback)
          return resultOf(receivers.answer(callback))
        },
      }),
    },
  )
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= gateway.stop()
    return stopped
  }
  onTestFinished(() => stop().catch(() => undefined))
  const { demo, app } = gateway
  if (!demo) throw new Error('a sandbox has a demo account')
  gateway.start()
  const own = {
    authorization: basic(demo),
    'x-wallet': `Token ${demo.walletToken}`,
    'content-type': 'application/json',
  }

  /** Past all that the database was asked, however long it takes. */
  async function turn(): Promise<void> {
    do await new Promise((go) => setImmediate(go))
    while (work.underWay > 0)
  }
  const { advance } = new TimeLapse(moved, gateway.idle, turn)
  const pass = (ms: number) => moved.moveTo(epochMs(moved.now() + ms))
  /** News of another process or gateway comes over a socket. */
  const hear = async () => {
    if (database !== ':memory:') await new Promise((go) => setTimeout(go, 1))
  }

  async function look(
    what: string,
    isSo: () => boolean | Promise<boolean>,
    { quickly, goOn }: { quickly: number; goOn(): Promise<void> },
  ): Promise<void> {
    for (let looks = 0; looks < quickly; looks++) {
      if (await isSo()) return
      await goOn()
      await hear()
    }
    await eventually(what, async () => {
      await goOn()
      return isSo()
    })
  }

  return Object.assign(receivers, {
    ...gateway,
    demo,
    posted,
    stop,
    now: clock.now,
    async call(method: string, path: string, changes: Changes = {}, body?: object) {
      const headers = Object.entries({ ...own, ...changes }).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      )
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
      return app.fetch(new Request(`http://gateway.invalid${path}`, init))
    },
    advance,
    jump(ms: number) {
      offset += ms
    },
    pass,
    until: (what: string, isSo: () => boolean | Promise<boolean>, stepMs = 1_000) =>
      look(what, isSo, { quickly: QUICK_LOOKS, goOn: () => advance(stepMs) }),
    passUntil: (what: string, isSo: () => boolean | Promise<boolean>, stepMs: number) =>
      look(what, isSo, {
        quickly: MORE_QUICK_LOOKS,
        async goOn() {
          pass(stepMs)
          for (let turns = 0; turns < 5; turns++) await turn()
        },
      }),
  })
}

async function resultOf(answering: Answer | Promise<Answer>): Promise<OutboundResult> {
  const answer = await answering
  if (!(answer instanceof Response)) return { kind: 'failure', stage: 'before', ...answer, latencyMs: 7.4 }
  const body = new Uint8Array(await answer.arrayBuffer())
  const headers = Object.fromEntries(answer.headers)
  return { kind: 'reply', status: answer.status, headers, body, truncated: false, latencyMs: 41.6 }
}
