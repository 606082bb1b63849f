import type { Second } from '../load.ts'
import type { MeasuredRival } from '../rivals/rivals.ts'
import type { Row, Table } from '../row.ts'
import type { Measured } from './measure.ts'

/** One measurement of whole lives and what was measured beside it at as many connections. */
export interface Scene {
  engine: string
  connections: number
  wallets: number
  gateways: number
  measured: Measured
  rivals: readonly MeasuredRival[]
}

/** What a scene promises. */
export function promises({ engine, connections, wallets, gateways, measured, rivals }: Scene): Row[] {
  const { load, ended, gatewayUs, databaseUs } = measured
  const onPostgres = engine === 'postgres'
  // A message that is alone pays by itself for what others share: the flush and the statements.
  const goalOfMany = (goal: string) => (connections > 1 ? goal : '')
  const answers = load.bySecond.map((second) => second.answers)
  const kannel = rivals.find(({ name }) => name === 'Kannel')
  return [
    {
      what: `${engine}, ${many(connections, 'connection')}, ${many(wallets, 'wallet')}, ${many(gateways, 'gateway')}: p99 of an accept`,
      figure: `${load.p99.toFixed(1)} ms`,
      goal: onPostgres ? '≤ 60 ms' : '≤ 25 ms',
    },
    {
      what: '  final within the time / accepted',
      figure: (ended / load.perSecond).toFixed(2),
      goal: '≥ 0.97',
    },
    {
      what: '  slowest second / fastest',
      figure: (Math.min(...answers) / Math.max(...answers)).toFixed(2),
      goal: '≥ 0.5',
    },
    {
      what: '  processor time a message, gateways + database',
      figure: `${gatewayUs.toFixed(0)} + ${databaseUs.toFixed(0)} µs`,
      goal: onPostgres ? goalOfMany('≤ 160 µs') : '',
    },
    ...(kannel
      ? [
          {
            what: '  whole lives / accepts of Kannel',
            figure: (ended / kannel.load.perSecond).toFixed(2),
            goal: goalOfMany(onPostgres ? '≥ 0.8' : '≥ 1.3'),
          },
        ]
      : []),
  ]
}

/** Everything that was measured, a line each, with what it is by each of the others. */
export function sideBySide(scenes: readonly Scene[]): Table {
  const others = [...new Set(scenes.flatMap(({ rivals }) => rivals.map(({ name }) => name)))]
  const lines = [...Map.groupBy(scenes, ({ connections }) => connections)].flatMap(([connections, same]) => {
    const rivals = same[0]?.rivals ?? []
    const ratios = (perSecond: number) =>
      others.map((name) => {
        const rival = rivals.find((one) => one.name === name)
        return rival ? (perSecond / rival.load.perSecond).toFixed(2) : ''
      })
    return [
      ...rivals.map(({ name, load, us, keptBytes, peakMb }) => [
        name,
        `${connections}`,
        '',
        '',
        load.perSecond.toFixed(0),
        '',
        ...times(load),
        us.toFixed(0),
        '',
        keptBytes.toFixed(0),
        peakMb.toFixed(0),
        ...ratios(load.perSecond),
      ]),
      ...same.map(({ engine, wallets, gateways, measured }) => [
        `Wigwag on ${engine}`,
        `${connections}`,
        `${wallets}`,
        `${gateways}`,
        measured.load.perSecond.toFixed(0),
        measured.ended.toFixed(0),
        ...times(measured.load),
        measured.gatewayUs.toFixed(0),
        measured.databaseUs > 0 ? measured.databaseUs.toFixed(0) : '',
        measured.keptBytes.toFixed(0),
        measured.peakMb.toFixed(0),
        ...ratios(measured.ended),
      ]),
    ]
  })
  return {
    title: 'Side by side',
    about: [
      'accepts/s: requests answered a second. lives/s: messages that also became final within the measured time, delivered and charged.',
      'µs: processor time a message until nothing is left to do, of the gateway (of Kannel: its carrier included) and of PostgreSQL.',
      'kept: bytes of memory a message held after it, by what was held before. peak: the most memory of all processes but PostgreSQL.',
      'by NAME: whole lives a second (without these, accepts) by the accepts of NAME at as many connections.',
    ],
    columns: [
      'what',
      'connections',
      'wallets',
      'gateways',
      'accepts/s',
      'lives/s',
      'p50 ms',
      'p99 ms',
      'µs',
      'µs database',
      'kept bytes',
      'peak MB',
      ...others.map((name) => `by ${name}`),
    ],
    lines,
  }
}

/** How the times of answers changed while a load lasted. */
export function overTime(scenes: readonly Scene[]): Table {
  return {
    title: 'Over time',
    about: ['The worst second of each tenth of the time, in order, in ms.'],
    columns: ['what', 'connections', 'wallets', 'gateways', 'p50', 'p99'],
    lines: scenes.map(({ engine, connections, wallets, gateways, measured }) => [
      `Wigwag on ${engine}`,
      `${connections}`,
      `${wallets}`,
      `${gateways}`,
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

function many(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
