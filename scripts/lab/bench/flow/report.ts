import type { Row, Table } from '../../report.ts'
import type { Second } from '../rig/load.ts'
import type { MeasuredRival } from '../rivals/rivals.ts'
import type { Measured, Share } from './measure.ts'

/** The ways of a message, from the shortest to what users do. */
export const WAYS = {
  simulator: { smpp: false, callback: false },
  smpp: { smpp: true, callback: false },
  'simulator+callback': { smpp: false, callback: true },
  'smpp+callback': { smpp: true, callback: true },
}
export type Way = keyof typeof WAYS

export function isWay(text: string): text is Way {
  return text in WAYS
}

/** One measurement of whole ways and what was measured beside it at as many connections. */
export interface Scene {
  engine: string
  way: Way
  connections: number
  wallets: number
  /** Of one gateway, on one port. */
  processes: number
  measured: Measured
  rivals: readonly MeasuredRival[]
}

/** The way that users take: a carrier in its own program, and callbacks to a system. */
const WHOLE: Way = 'smpp+callback'
const ENDED = 0.95
const WHOLE_US = { gateway: 350, database: 250 }
/** Goals for our callbacks divided by Kannel's, by the place of Kannel's receipts. */
const BY_KANNEL: Record<string, Record<string, number>> = {
  sqlite: { Kannel: 1.2, 'Kannel, receipts in PostgreSQL': 3.5 },
  postgres: { Kannel: 0.75, 'Kannel, receipts in PostgreSQL': 2 },
}

/** The promises of a scene. */
export function promises({ engine, way, connections, wallets, processes, measured, rivals }: Scene): Row[] {
  const { ended, told, toldEarly, gatewayUs, databaseUs, load } = measured
  const answers = load.bySecond.map((second) => second.answers)
  const ofMany = (goal: string) => (connections > 1 && way === WHOLE ? goal : '')
  const beside = rivals.flatMap(({ name, told: theirs }) => {
    const goal = BY_KANNEL[engine]?.[name]
    if (goal === undefined || !told || !theirs || way !== WHOLE) return []
    const figure = (told.perSecond / theirs.perSecond).toFixed(2)
    return [{ what: `  told / told by ${name}`, figure, goal: ofMany(`≥ ${goal}`) }]
  })
  return [
    {
      what: `${engine}, ${way}, ${many(connections, 'connection')}, ${many(wallets, 'wallet')}, ${many(processes, 'process', 'processes')}: final / accepted`,
      figure: ended.ratio.toFixed(2),
      goal: `≥ ${ENDED}`,
    },
    ...(told ? [{ what: '  told / accepted', figure: told.ratio.toFixed(2), goal: `≥ ${ENDED}` }] : []),
    ...(toldEarly === undefined
      ? []
      : [{ what: '  in the first ten seconds', figure: toldEarly.toFixed(2), goal: `≥ ${ENDED}` }]),
    {
      what: '  slowest second / fastest',
      figure: (Math.min(...answers) / Math.max(...answers)).toFixed(2),
      goal: '≥ 0.5',
    },
    {
      what: '  processor time a message, gateways + database',
      figure: `${gatewayUs.toFixed(0)} + ${databaseUs.toFixed(0)} µs`,
      goal: ofMany(`≤ ${WHOLE_US.gateway}${engine === 'postgres' ? ` + ${WHOLE_US.database}` : ''} µs`),
    },
    ...beside,
  ]
}

/** Everything that was measured, a line each, with what it is by each of the others. */
export function sideBySide(scenes: readonly Scene[]): Table {
  const others = [...new Set(scenes.flatMap(({ rivals }) => rivals.map(({ name }) => name)))]
  const lines = [...Map.groupBy(scenes, ({ connections }) => connections)].flatMap(([connections, same]) => {
    const rivals = same[0]?.rivals ?? []
    /** Its work a second divided by that of each other program. */
    const ratios = (one: Ended) =>
      others.map((name) => {
        const rival = rivals.find((other) => other.name === name)
        return rival ? (doneOf(one) / doneOf(rival)).toFixed(2) : ''
      })
    return [
      ...rivals.map((rival) => [
        rival.name,
        '',
        `${connections}`,
        '',
        '',
        whole(rival.load.perSecond),
        '',
        perSecond(rival.told),
        rival.told ? whole(rival.left) : '',
        '',
        ...times(rival.load),
        ...[rival.us, rival.databaseUs].map(orNothing),
        '',
        '',
        '',
        ...[rival.keptBytes, rival.peakMb].map(whole),
        ...ratios(rival),
      ]),
      ...same.map(({ engine, way, wallets, processes, measured }) => [
        `Wigwag on ${engine}`,
        way,
        `${connections}`,
        `${wallets}`,
        `${processes}`,
        whole(measured.load.perSecond),
        perSecond(measured.ended),
        perSecond(measured.told),
        whole(measured.left),
        (measured.leftMs / 1_000).toFixed(1),
        ...times(measured.load),
        ...[measured.gatewayUs, measured.databaseUs].map(orNothing),
        ...[measured.loadUs, measured.receiverUs, measured.carrierUs].map(orNothing),
        ...[measured.keptBytes, measured.peakMb].map(whole),
        ...ratios(measured),
      ]),
    ]
  })
  return {
    title: 'Side by side',
    about: [
      'accepted/s: requests answered a second. final/s, told/s: messages that became final, delivered and charged, and callbacks that the receiver got, within the same time. left: accepted and not yet final or, with callbacks, not yet told when the load ended; s left: how long until they were.',
      'µs: processor time a message until nothing is left to do, of the gateways, of PostgreSQL, and of the load, the receiver and the carrier, which share the processors with them. Of Kannel: without its carrier, by what was told within a minute after the load.',
      'kept: bytes of memory a message held after it, by what was held before. peak: the most memory of the gateways.',
      'by NAME: told a second (without callbacks final, without these accepted) by that of NAME at as many connections.',
    ],
    columns: [
      'what',
      'way',
      'connections',
      'wallets',
      'processes',
      'accepted/s',
      'final/s',
      'told/s',
      'left',
      's left',
      'p50 ms',
      'p99 ms',
      'µs',
      'µs database',
      'µs load',
      'µs receiver',
      'µs carrier',
      'kept bytes',
      'peak MB',
      ...others.map((name) => `by ${name}`),
    ],
    lines,
  }
}

interface Ended {
  load: { perSecond: number }
  ended?: Share
  told: Share | undefined
}

function doneOf({ load, ended, told }: Ended): number {
  return (told ?? ended ?? load).perSecond
}

/** How the times of answers changed while a load lasted. */
export function overTime(scenes: readonly Scene[]): Table {
  return {
    title: 'Over time',
    about: ['The worst second of each tenth of the time, in order, in ms.'],
    columns: ['what', 'way', 'connections', 'wallets', 'processes', 'p50', 'p99'],
    lines: scenes.map(({ engine, way, connections, wallets, processes, measured }) => [
      `Wigwag on ${engine}`,
      way,
      `${connections}`,
      `${wallets}`,
      `${processes}`,
      worst(measured.load.bySecond, 'p50'),
      worst(measured.load.bySecond, 'p99'),
    ]),
  }
}

function worst(seconds: readonly Second[], of: 'p50' | 'p99'): string {
  const tenths: number[] = []
  for (const [index, second] of seconds.entries()) {
    const tenth = Math.floor((index * 10) / seconds.length)
    tenths[tenth] = Math.max(tenths[tenth] ?? 0, second[of])
  }
  // Fewer than ten seconds leave tenths empty.
  return tenths.flatMap((time) => time.toFixed(1)).join(' ')
}

function times({ p50, p99 }: { p50: number; p99: number }): string[] {
  return [p50.toFixed(1), p99.toFixed(1)]
}

function whole(figure: number): string {
  return figure.toFixed(0)
}

function orNothing(figure: number): string {
  return figure > 0 ? whole(figure) : ''
}

function perSecond(share: Share | undefined): string {
  return share ? whole(share.perSecond) : ''
}

function many(count: number, name: string, names = `${name}s`): string {
  return `${count} ${count === 1 ? name : names}`
}
