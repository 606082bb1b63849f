import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aPlace, type Bench, openBench } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { BULK, SINGLE, single } from '../../support/front.ts'
import { simulated } from '../../support/simulated.ts'

/** Only the newer file has a route to it. */
const TO_WEST = '233240001234'
const BACKLOG = 13
/** How long a lane is left alone that no gateway has. */
const STRANDED_MS = 3_000
const TAKEN = "(m.status = 'success' OR o.submitted_at > 0)"

/** Two gateways on one database: one has been restarted with a new file of carriers, the other not yet. */
async function openTwo({ pollMs = 5_000 } = {}) {
  const folder = mkdtempSync(join(FOR_DATABASES, 'wigwag-two-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = await aPlace('PostgreSQL')
  const openWith = async (name: string, routes: Record<string, string>) => {
    const carriers = Object.fromEntries(Object.values(routes).map((one) => [one, { url: 'simulator:' }]))
    const list = Object.entries(routes).map(([prefix, one]) => ({ prefix, carriers: [{ name: one }] }))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ carriers, routes: list }))
    const carrier = { given: `file:./${name}.json`, folder, variables: () => ({}) }
    const simulator = { ...simulated(), tps: 1 }
    const bench = await openBench({
      database,
      config: { carrier, pollMs, simulator },
      run: { strandedMs: STRANDED_MS },
    })
    await bench.advance(1_000)
    return bench
  }
  const older = await openWith('older', { '1': 'north' })
  const newer = await openWith('newer', { '1': 'north', '233': 'west' })
  /** Lets time pass for both, in steps in which neither counts as dead. */
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      await newer.advance(5_000)
      await older.advance(5_000)
    }
  }
  return { older, newer, advance }
}

async function send({ call }: Bench): Promise<string> {
  const answer = await call('POST', SINGLE, {}, single(TO_WEST))
  return ((await answer.json()) as { Ticket: string }).Ticket
}

async function statusOf({ database }: Bench, ticket: string): Promise<string | undefined> {
  const [row] = await database.read(({ run }) =>
    run<{ status: string }>('SELECT status FROM messages WHERE id = $1', [ticket]),
  )
  return row?.status
}

async function countOf({ database }: Bench, condition: string): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>(
      `SELECT count(*) AS n FROM messages m LEFT JOIN outbox o ON o.id = m.id WHERE ${condition}`,
      [],
    ),
  )
  return row?.n ?? 0
}

describe('a gateway with an older file of carriers', () => {
  it('leaves the backlog of a new carrier to the gateway that has it', async () => {
    const { older, newer, advance } = await openTwo({ pollMs: 1_000 })
    const Recipients = Array.from({ length: BACKLOG }, (_, index) => ({
      To: `23324${1_000_000 + 7 * index}`,
    }))
    const sent = await newer.call('POST', BULK, {}, { From: 'WIGWAG', Content: 'Hello', Recipients })
    expect(sent.status).toBe(200)
    // West takes one a second, so some wait for longer than that.
    // Bit by bit: its timer for the next one may begin late, and neither gateway may count as dead before that.
    await eventually('west has taken them all', async () => {
      for (const bench of [newer, older]) bench.pass(100)
      return (await countOf(newer, TAKEN)) === BACKLOG
    })
    await eventually('all are delivered', async () => {
      await advance(5_000)
      return (await countOf(newer, "m.status = 'success'")) === BACKLOG
    })
  })

  it('rejects nothing for which it knows no carrier, until all have the same file', async () => {
    const { older, newer, advance } = await openTwo()
    const ticket = await send(older)
    await older.advance(5_000)
    expect(await statusOf(older, ticket)).toBe('pending')
    // From now on the newer one comes first.
    await newer.advance(10_000)
    await advance(40_000)
    await eventually('it is delivered', async () => {
      await advance(5_000)
      return (await statusOf(newer, ticket)) === 'success'
    })
    await newer.stop()
    const next = await send(older)
    await older.advance(5_000)
    expect(await statusOf(older, next)).toBe('rejected')
  })
})
