/**
 * Measures the gateway side by side with what it is compared with, in one run on one machine. Ratios carry over to other
 * machines; figures hardly do. Run it on a quiet one.
 *
 *   npm run bench                        everything, about an hour
 *   npm run bench -- flow start          some parts: flow, where, sizes, isolation, growth, start, sdk, smpp, connector, sign-in,
 *                                        console, pages, desk, move or retention
 *   npm run bench -- flow --with echo,stateless,prism,kannel
 *                                        beside a bare Hono app, a server that keeps nothing, Prism (90 MB from npm, once)
 *                                        and Kannel (Debian's package kannel), over the same carrier to the same receiver
 *
 * --report writes each part's figures to scripts/lab/reports as well.
 *
 * `flow`, `where`, `isolation`, `growth`, `console`, `pages`, `desk` and `retention` take --engines sqlite,postgres. `flow` takes
 * --seconds 60, --connections 64, --wallets 4, --ways simulator,smpp,simulator+callback,smpp+callback, --processes 1, those
 * of a gateway on PostgreSQL, and --binds 4, the connections of each process, and of Kannel, to the carrier; `where`
 * takes --seconds 20; `sizes` takes --seconds 30 and --gateways 1,2,3,4, and needs root for control groups; `isolation` takes --beside bulks, a part of a trouble's name; `growth`, `pages`, `desk`,
 * `move` and `retention` take --rows 1000000,10000000: ten million need 6 GB and ten minutes on each engine, and an hour or more where
 * months pass; and `retention` takes --months 6 and --felt-for 60, the minutes after which a month that is not forgotten is
 * the last, or 0 for sizes alone.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ABOUT, type PartName } from './bench/about.ts'
import { connector } from './bench/connector.ts'
import { consoleStreams } from './bench/console.ts'
import { desk } from './bench/desk.ts'
import { WAYS } from './bench/flow/report.ts'
import { flow } from './bench/flow.ts'
import { growth } from './bench/growth.ts'
import { isolation } from './bench/isolation.ts'
import { move } from './bench/move.ts'
import { pages } from './bench/pages.ts'
import { retention } from './bench/retention.ts'
import { sdk } from './bench/sdk.ts'
import { signIn } from './bench/sign-in.ts'
import { sizes } from './bench/sizes.ts'
import { smppClients } from './bench/smpp.ts'
import { start } from './bench/start.ts'
import { where } from './bench/where.ts'
import { type Finding, print, writeReport } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', default: 'echo,stateless' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '64' },
    wallets: { type: 'string', default: '4' },
    ways: { type: 'string', default: Object.keys(WAYS).join(',') },
    gateways: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    binds: { type: 'string', default: '4' },
    rows: { type: 'string', default: '1000000' },
    months: { type: 'string', default: '6' },
    'felt-for': { type: 'string', default: '60' },
    beside: { type: 'string', default: '' },
    report: { type: 'boolean', default: false },
    engines: { type: 'string', default: 'sqlite,postgres' },
  },
})
const numbers = (text: string) => text.split(',').map(Number)
const options = {
  connections: numbers(values.connections),
  wallets: numbers(values.wallets),
  gateways: numbers(values.gateways),
  processes: numbers(values.processes),
  binds: Number(values.binds),
  rows: numbers(values.rows),
  months: Number(values.months),
  feltFor: Number(values['felt-for']),
  engines: values.engines.split(','),
  beside: values.beside,
  ways: values.ways.split(','),
  rivals: values.with.split(',').filter((name) => name !== ''),
}
const seconds = (usual: number) => Number(values.seconds ?? usual)
const parts: Record<PartName, (folder: string) => AsyncIterable<Finding> | Promise<Finding[]>> = {
  start,
  flow: (folder: string) => flow(folder, { ...options, seconds: seconds(60) }),
  sizes: (folder: string) => sizes(folder, { gateways: sizesAsked(), seconds: seconds(30) }),
  where: (folder: string) => where(folder, { ...options, seconds: seconds(20) }),
  isolation: (folder: string) => isolation(folder, options),
  growth: (folder: string) => growth(folder, options),
  sdk,
  smpp: smppClients,
  connector,
  'sign-in': signIn,
  console: (folder: string) => consoleStreams(folder, options),
  pages: (folder: string) => pages(folder, options),
  desk: (folder: string) => desk(folder, options),
  move: (folder: string) => move(folder, options),
  retention: (folder: string) => retention(folder, options),
}
const names = Object.keys(parts).filter(isPart)
const unknown = positionals.filter((name) => !isPart(name))
if (unknown.length > 0) throw new Error(`expected parts among ${names.join(', ')}, got ${unknown.join(', ')}`)

for (const name of names) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const folder = await mkdtemp(join(tmpdir(), `wigwag-bench-${name}-`))
  try {
    console.log(`\n${name}`)
    const findings: Finding[] = []
    for await (const finding of await parts[name](folder)) {
      print(finding)
      findings.push(finding)
    }
    if (values.report) writeReport({ name, ...ABOUT[name], command: commandOf(name), findings })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compares one to four gateways by default: one alone would show nothing. */
function sizesAsked(): number[] {
  return values.gateways === '1' ? [1, 2, 3, 4] : options.gateways
}

function isPart(name: string): name is PartName {
  return name in ABOUT
}

/** This part, with the options that were given. */
function commandOf(name: PartName): string {
  const given = process.argv.slice(2).filter((word) => !isPart(word))
  return ['npm run bench --', name, ...given].join(' ')
}
