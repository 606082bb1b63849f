import { setTimeout as pause } from 'node:timers/promises'
import { uncertainMessages } from '../../src/delivery/operate/uncertain.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import type { Database } from '../../src/store/database.ts'
import { areWithin, type Figures } from '../support/figures.ts'
import type { TakenPart } from './carrier.ts'

interface MessageRow {
  id: string
  status: string
  recipient: string
  content: string
  submitted: number | null
}

/** The messages of a carrier, by the recipient and the mark in the text, which no two messages share. */
interface Taken {
  /** The parts that it took more than once. */
  twice: string[]
  /** Which parts of a message it took. */
  parts: Map<string, Set<number>>
  /** How many parts a message has. */
  wholes: Map<string, number>
}

/** How long receipts may still be on their way on a busy machine. */
const LATE_MS = 120_000

/** Compares what the gateways know with what the carrier took, while messages still wait for receipts that are lost. */
export async function compareHalfway(
  database: Database,
  taken: () => readonly TakenPart[],
  carrier: { carrierForgets: boolean },
): Promise<Figures> {
  const deadline = performance.now() + LATE_MS
  for (;;) {
    const figures = await compareNow(database, taken(), carrier)
    if (areWithin(figures) || performance.now() > deadline) return figures
    await pause(200)
  }
}

async function compareNow(
  database: Database,
  taken: readonly TakenPart[],
  { carrierForgets }: { carrierForgets: boolean },
): Promise<Figures> {
  const sorted = sortOut(taken)
  const rows = await standings(database)
  const counts = new Map<string, number>()
  const wrong = rows.flatMap((row) => {
    const key = keyOf(row.recipient.replace('+', ''), row.content)
    const found = sorted.parts.get(key)?.size ?? 0
    const isWhole = found > 0 && found === sorted.wholes.get(key)
    counts.set(row.standing, (counts.get(row.standing) ?? 0) + 1)
    const isRight = {
      success: isWhole,
      // One part that fails ends a message, and the others need not be submitted any more.
      undelivered: found > 0,
      rejected: found === 0,
      cancelled: found === 0,
      'without a receipt': isWhole && (carrierForgets || row.recipient.endsWith('00005')),
      expired: true,
      uncertain: true,
    }[row.standing]
    return isRight ? [] : [{ ...row, found }]
  })
  return {
    'parts that the carrier took': taken.length,
    'final by success': counts.get('success') ?? 0,
    'listed as uncertain, before their validity ended': counts.get('uncertain') ?? 0,
    'submitted, and without a receipt': counts.get('without a receipt') ?? 0,
    'neither final nor submitted nor listed as uncertain': [counts.get('lost') ?? 0, { is: 0 }],
    'in a state that the carrier contradicts': [wrong, { is: 0 }],
    'not final although their receipts are there': [await waitingWithVerdicts(database), { is: 0 }],
  }
}

/** Compares the carrier's messages with ours when nothing is left to do. */
export async function compareAtEnd(database: Database, taken: readonly TakenPart[]): Promise<Figures> {
  const { twice, parts } = sortOut(taken)
  const unpaid = (await standings(database)).filter(
    ({ standing, recipient, content }) =>
      standing === 'success' && !parts.has(keyOf(recipient.replace('+', ''), content)),
  )
  return {
    'double submissions': [twice, { is: 0 }],
    'charged, and never submitted': [unpaid, { is: 0 }],
  }
}

/** All messages, each with its status or with what it waits for. */
async function standings(database: Database): Promise<(MessageRow & { standing: string })[]> {
  const rows = await database.read(({ run }) =>
    run<MessageRow>(
      `SELECT m.id, m.status, m.recipient, m.content, o.submitted_at AS submitted
       FROM messages m LEFT JOIN outbox o ON o.id = m.id`,
      [],
    ),
  )
  const listed = await database.read((tx) => uncertainMessages(tx, systemClock.now(), 1_000_000))
  const uncertain = new Set<string>(listed.map(({ ticket }) => ticket))
  return rows.map((row) => {
    if (row.status !== 'pending') return { ...row, standing: row.status }
    const waiting = row.submitted ? 'without a receipt' : 'lost'
    return { ...row, standing: uncertain.has(row.id) ? 'uncertain' : waiting }
  })
}

function sortOut(taken: readonly TakenPart[]): Taken {
  const times = new Map<string, number>()
  const parts = new Map<string, Set<number>>()
  const wholes = new Map<string, number>()
  for (const { destination, text, part } of taken) {
    const each = `${destination} ${text} ${part?.number}`
    times.set(each, (times.get(each) ?? 0) + 1)
    const message = keyOf(destination, text)
    parts.set(message, (parts.get(message) ?? new Set()).add(part?.number ?? 1))
    wholes.set(message, part?.of ?? 1)
  }
  const twice = [...times].flatMap(([each, count]) => (count > 1 ? [each] : []))
  return { twice, parts, wholes }
}

/** Messages that wait although all of their receipts are there, or one that ends them. */
function waitingWithVerdicts(database: Database): Promise<{ id: string }[]> {
  return database.read(({ run }) =>
    run(
      `SELECT r.message_id AS id FROM carrier_refs r JOIN outbox o ON o.id = r.message_id
       GROUP BY r.message_id
       HAVING count(CASE WHEN r.verdict = 'success' THEN 1 END) = max(r.parts)
         OR count(CASE WHEN r.verdict <> 'success' THEN 1 END) > 0`,
      [],
    ),
  )
}

function keyOf(recipient: string, content: string): string {
  return `${recipient} ${/<[0-9a-f]{12}>/.exec(content)?.[0]}`
}
