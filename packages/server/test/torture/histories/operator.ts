import { setTimeout as pause } from 'node:timers/promises'
import { micros } from '@wigwag/contract'
import type { OperatorParts } from '../../../src/gateway/operator-parts.ts'
import type { Clock } from '../../../src/kernel/process/clock.ts'
import { createRandom } from '../../support/random.ts'
import { SEGMENT_PRICE } from './choose.ts'
import type { Book, BookAsk } from './history.ts'
import type { SharedWallet } from './wallets.ts'

export interface OperatorOptions {
  operator: OperatorParts['operator']
  wallets: readonly [SharedWallet, ...SharedWallet[]]
  clock: Clock
  seed: number
  restMs: number
  operations: { push(operation: Book): void }
  newId(): number
}

/**
 * The operator, who puts little into wallets and takes less out, each time under a reference. Some bookings are
 * repeated, and some references used for another.
 */
export function startOperator(options: OperatorOptions): { stop(): Promise<void> } {
  const { operator, wallets, clock, restMs } = options
  const random = createRandom(options.seed)
  const booked: { wallet: SharedWallet; ask: BookAsk }[] = []
  let running = true
  let count = 0

  /** No two amounts are the same, so that a balance tells which bookings are in it. */
  function newAmount(segments: number): number {
    count++
    return SEGMENT_PRICE * segments + count
  }

  function choose(): { wallet: SharedWallet; ask: BookAsk } {
    const earlier = random.any(booked.slice(-10))
    if (earlier && random.chance(10)) return earlier
    const wallet = earlier && random.chance(5) ? earlier.wallet : random.pick(wallets)
    const kind = random.chance(20) ? 'debit' : 'credit'
    const amount = newAmount(kind === 'debit' ? random.from(1, 3) : random.from(2, 16))
    const reference =
      earlier && wallet === earlier.wallet && random.chance(20) ? earlier.ask.reference : `r${count}`
    return { wallet, ask: { kind, amount, reference } }
  }

  async function book({ wallet, ask }: { wallet: SharedWallet; ask: BookAsk }): Promise<Book> {
    const began = clock.elapsed()
    const outcome = await outcomeOf(
      operator[ask.kind](wallet.account.accountId, micros(ask.amount), ask.reference),
    )
    const times = { began, ended: clock.elapsed() }
    return {
      id: options.newId(),
      kind: 'book',
      client: -1,
      gateway: -1,
      wallet: wallet.name,
      ...times,
      ask,
      outcome,
    }
  }

  async function work(): Promise<void> {
    let owed: { wallet: SharedWallet; ask: BookAsk } | undefined
    while (running) {
      await pause(random.from(0, 2 * restMs))
      const next = owed ?? choose()
      booked.push(next)
      const done = await book(next)
      options.operations.push(done)
      owed = done.outcome.is === 'unknown' ? next : undefined
    }
  }

  const working = work()
  working.catch(() => undefined)
  return {
    stop() {
      running = false
      return working
    },
  }
}

type Booked = Awaited<ReturnType<OperatorParts['operator']['credit']>>

async function outcomeOf(booking: Promise<Booked>): Promise<Book['outcome']> {
  try {
    const { result } = await booking
    if (result === 'made' || result === 'repeated')
      return { is: 'ok', value: { repeated: result === 'repeated' } }
    return { is: 'failed', code: result }
  } catch (error) {
    return { is: 'unknown', why: String(error) }
  }
}
