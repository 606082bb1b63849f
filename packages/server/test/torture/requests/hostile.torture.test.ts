import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkBooks, makeCaller } from '../../../../../scripts/lab/bench/rig/database.ts'
import { sends, startGateway } from '../../../../../scripts/lab/bench/rig/gateways.ts'
import { demoHeaders, loadOk, type Server } from '../../../../../scripts/lab/bench/rig/processes.ts'
import { median } from '../../../../../scripts/lab/report.ts'
import { atLength, type Bound, checkFigures } from '../../support/figures.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { HOSTILITIES, type Hostility, type Target } from './hostile.ts'

/** The short form has all of them at once, and no time to see which connections are ended when. */
const FORM = atLength({
  short: { groups: [HOSTILITIES], connections: 60, seconds: 2, rounds: 1, mb: 250 },
  full: {
    groups: HOSTILITIES.map((each): readonly Hostility[] => [each]),
    connections: 1_000,
    seconds: 8,
    rounds: 3,
    mb: 250,
  },
})
const TIME = atLength({ short: 120_000, full: 3_600_000 })
/** As often as a shop sends, and far from what the gateway can do. */
const PACE = 50

describe('a gateway among hostile clients', () => {
  it('refuses them with bounded memory while a healthy client goes on', { timeout: TIME }, async () => {
    const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-hostile-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const database = `file:${join(folder, 'wigwag.db')}`
    const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database, WIGWAG_RATE_LIMIT: '200' })
    onTestFinished(gateway.stop)
    const target: Target = {
      port: gateway.port,
      head: headOf(makeCaller(database, 'hostile')),
      connections: FORM.connections,
    }
    await p99Of(gateway)
    const rest = gateway.residentMb()
    checkFigures('hostile clients', { 'resident memory at rest, in MB': Math.round(rest) })
    const failed: unknown[] = []
    for (const group of FORM.groups)
      await endure(gateway, { group, target, rest }).catch((error: unknown) => failed.push(error))
    checkBooks(database)
    expect(failed).toEqual([])
  })
})

interface Scene {
  group: readonly Hostility[]
  target: Target
  rest: number
}

async function endure(gateway: Server, { group, target, rest }: Scene): Promise<void> {
  const quiet: number[] = []
  const beside: number[] = []
  const totals = { opened: 0, closed: 0, other: 0, closedMs: 0, peak: rest }
  const watching = setInterval(() => {
    totals.peak = Math.max(totals.peak, gateway.residentMb())
  }, 50)
  for (let round = 0; round < FORM.rounds; round++) {
    quiet.push(await p99Of(gateway))
    const began = performance.now()
    const sieges = group.map((hostility) => ({ hostility, siege: hostility.begin(target) }))
    beside.push(await p99Of(gateway))
    for (const { hostility, siege } of sieges) {
      const patience = FORM.rounds > 1 && round === 0 ? (hostility.closedWithinMs ?? 0) : 0
      while (siege.open() > 0 && performance.now() - began < patience) await pause(100)
      if (patience > 0) totals.closedMs = performance.now() - began
      const { opened, closed, statuses } = await siege.end()
      totals.opened += opened
      totals.closed += closed
      const others = Object.entries(statuses).filter(([status]) => !hostility.statuses.includes(status))
      // Without patience, a connection that the gateway has not ended yet has no answer either.
      totals.other += others.reduce(
        (sum, [status, n]) => sum + (status === 'none' && patience === 0 ? 0 : n),
        0,
      )
    }
  }
  clearInterval(watching)
  const [before, during] = [median(quiet), median(beside)]
  const scene = group.length === 1 ? (group[0]?.what ?? '') : 'all kinds of hostile clients at once'
  const closes = group.some(({ closedWithinMs }) => closedWithinMs) && totals.closedMs > 0
  checkFigures(scene, {
    connections: totals.opened,
    'answers that refuse in another way than they should': [totals.other, { is: 0 }],
    ...(closes && {
      'ms until the gateway had ended all': [
        Math.round(totals.closedMs),
        { atMost: group[0]?.closedWithinMs ?? 0 },
      ],
    }),
    'MB of memory above rest, at most': [Math.round(totals.peak - rest), { atMost: FORM.mb }],
    'p99 of a healthy client, quiet, in ms': round(before),
    'p99 of a healthy client meanwhile, in ms': [round(during), { atMost: 10_000 }],
    // The short form runs beside other tests, where a ratio says little.
    'p99 meanwhile against quiet': atLength<number | [number, Bound]>({
      short: round(during / before),
      full: [round(during / before), { atMost: 3 }],
    }),
  })
}

/** How long a healthy client waits. Throws when anything else than 200 comes. */
async function p99Of(gateway: Server): Promise<number> {
  const to = sends(gateway, [demoHeaders(gateway)])
  return (await loadOk({ ...to, connections: 8, pace: PACE, seconds: FORM.seconds })).p99
}

function headOf(caller: Record<string, string>): Target['head'] {
  return (method, path, fields = {}) => {
    const headers = { host: '127.0.0.1', 'content-type': 'application/json', ...caller, ...fields }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}`
  }
}

const round = (ms: number) => Math.round(ms * 10) / 10
