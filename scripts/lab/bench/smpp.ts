import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SmppClient } from '@wigwag/smpp'
import smpp, { type PDU } from 'smpp'
import { median, type Row } from '../report.ts'
import { startServer } from './rig/processes.ts'

const ROUNDS = 5
const WARM_UP = 1
/** For each place in the window, so that a round takes about as long with each. */
const TEXTS = 200
const FROM_SOURCES = join(import.meta.dirname, '../../test/from-sources.ts')

/** Sends texts with so many unanswered at a time, and waits for each receipt. Returns the milliseconds. */
type Way = (port: number, window: number) => Promise<number>

/**
 * `@wigwag/smpp` beside npm's `smpp`: the same texts to the same carrier, whose receipts both answer. With a small window the
 * other waits for the system's delayed acknowledgements, since it leaves Nagle's algorithm on.
 */
export async function smppClients(folder: string): Promise<Row[]> {
  const script = join(import.meta.dirname, 'smpp/carrier.ts')
  const carrier = await startServer('--import', [FROM_SOURCES, script], {}, folder)
  const rows: Row[] = []
  for (const window of [1, 10, 100]) {
    const ratios: number[] = []
    const ways: [string, Way][] = [
      ['ours', ours],
      ['theirs', theirs],
    ]
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const took: Record<string, number> = {}
      for (const [name, way] of ways) took[name] = await way(carrier.port, window)
      ways.reverse()
      if (round >= WARM_UP) ratios.push((took.theirs ?? 0) / (took.ours ?? 1))
    }
    rows.push({
      what: `texts with their receipts a second / of npm's smpp, a window of ${window}`,
      figure: median(ratios).toFixed(2),
      goal: '≥ 1',
    })
  }
  for (const [name, file] of [
    ['@wigwag/smpp', 'first-of-ours.ts'],
    ["npm's smpp", 'first-of-theirs.ts'],
  ] as const)
    rows.push(await firstProgram(name, join(import.meta.dirname, 'smpp', file), carrier.port))
  await carrier.stop()
  return rows
}

async function ours(port: number, window: number): Promise<number> {
  const texts = TEXTS * window
  let receipts = 0
  const told = Promise.withResolvers<void>()
  const client = new SmppClient({
    host: '127.0.0.1',
    port,
    systemId: 'demo',
    password: '',
    window,
    onReceipt() {
      if (++receipts === texts) told.resolve()
    },
  })
  const began = performance.now()
  const text = { from: 'WIGWAG', to: '233241234567', text: 'Hello from a bench of clients' }
  await Promise.all(Array.from({ length: texts }, () => client.send(text)))
  await told.promise
  const took = performance.now() - began
  await client.close()
  return took
}

async function theirs(port: number, window: number): Promise<number> {
  const texts = TEXTS * window
  let receipts = 0
  let left = texts
  const told = Promise.withResolvers<void>()
  const began = performance.now()
  const session = smpp.connect({ host: '127.0.0.1', port })
  session.on('error', told.reject)
  session.on('deliver_sm', (pdu) => {
    session.send(pdu.response())
    if (++receipts === texts) told.resolve()
  })
  await new Promise<void>((resolve) =>
    session.once('connect', () => session.bind_transceiver({ system_id: 'demo' }, () => resolve())),
  )
  const fields = {
    source_addr: 'WIGWAG',
    source_addr_ton: 5,
    destination_addr: '233241234567',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    registered_delivery: 1,
    short_message: 'Hello from a bench of clients',
  }
  const next = ({ command_status }: Pick<PDU, 'command_status'>) => {
    if (command_status !== 0) told.reject(new Error(`a text was answered with ${command_status}`))
    if (left-- > 0) session.submit_sm(fields, next)
  }
  for (let count = 0; count < window; count++) next({ command_status: 0 })
  await told.promise
  const took = performance.now() - began
  session.close()
  return took
}

/** How many lines the same first program has: a long text, the states of its parts. It is run, so that it is true. */
async function firstProgram(name: string, file: string, port: number): Promise<Row> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    FROM_SOURCES,
    file,
    String(port),
  ])
  if (stdout.trim() !== '3 delivered,delivered,delivered')
    throw new Error(`expected three parts delivered, got ${stdout}`)
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /[^\s*/]/.test(line))
  return { what: `lines of a first program with ${name}`, figure: String(lines.length - 1), goal: '' }
}
