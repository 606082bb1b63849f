import type { Clock } from '../../../src/kernel/process/clock.ts'
import type { Random } from '../../support/random.ts'
import type { Cancel, Search, Send, SendAsk, SendOperation, StatusRead } from './history.ts'
import type { SharedWallet } from './wallets.ts'

/** A client's next request. */
export type Intent =
  | Pick<Send, 'kind' | 'ask'>
  | Pick<Cancel, 'kind' | 'ask'>
  | Pick<StatusRead, 'kind' | 'ask'>
  | Pick<Search, 'kind' | 'ask'>
  | { kind: 'balance' }
  | { kind: 'ledger'; whole: boolean }

/** The price of one segment, in micros, to the numbers that are used here. */
export const SEGMENT_PRICE = 42_000

export interface ChooserOptions {
  random: Random
  clock: Clock
  /** A mark that no other send has. */
  newMark(): string
}

const OPERATIONS = [
  'sendSms',
  'sendSms',
  'sendSms',
  'sendBulkSms',
  'sendBulkSms',
  'scheduleSms',
  'scheduleSms',
] as const
/** By these last digits the carrier does not deliver, or sends its receipts twice and in the wrong order. */
const ENDINGS = ['00001', '00002', '00003', '00006'] as const

/** Chooses at random what to ask next, much of it about what others ask at the same time. */
export function createChooser({ random, clock, newMark }: ChooserOptions): (wallet: SharedWallet) => Intent {
  return function choose(wallet) {
    const dice = random.from(0, 100)
    if (dice < 38) return { kind: 'send', ask: chooseSend(wallet) }
    if (dice < 46) return about(wallet.scheduled, (ticket) => ({ kind: 'cancel', ask: { ticket } }))
    if (dice < 66) return about(wallet.tickets, (ticket) => ({ kind: 'status', ask: { ticket } }))
    if (dice < 73) return about(wallet.marks, (mark) => ({ kind: 'search', ask: { mark, whole: false } }))
    if (dice < 80) return { kind: 'search', ask: { whole: false } }
    return dice < 86 ? { kind: 'ledger', whole: false } : { kind: 'balance' }
  }

  function about(known: readonly string[], intent: (each: string) => Intent): Intent {
    const each = random.any(known)
    return each === undefined ? { kind: 'balance' } : intent(each)
  }

  function chooseSend(wallet: SharedWallet): SendAsk {
    const earlier = random.any(wallet.keyed)
    if (earlier && random.chance(30)) return earlier
    // Another body under a key that is in use.
    if (earlier && random.chance(15)) return newAsk(earlier.operation, earlier.key)
    const mark = newMark()
    return newAsk(random.pick(OPERATIONS), random.chance(75) ? `key-${mark}` : undefined, mark)
  }

  function newAsk(operation: SendOperation, key: string | undefined, mark = newMark()): SendAsk {
    const segments = random.chance(25) ? 2 : 1
    const first = random.from(0, 80)
    const size = operation === 'sendBulkSms' ? random.from(2, 6) : 1
    const ask = {
      operation,
      key,
      mark,
      to: Array.from({ length: size }, (_, index) => recipient(first + index)),
      price: SEGMENT_PRICE * segments,
      segments,
    }
    return operation === 'scheduleSms' ? { ...ask, due: soon() } : ask
  }

  /** The numbers of one send differ in their first digits. */
  function recipient(number: number): string {
    const ending = random.chance(30) ? random.pick(ENDINGS) : String(random.from(10_000, 99_999))
    return `23324${String(number + 10)}${ending}`
  }

  /** So soon that a cancellation meets it as often as not. */
  function soon(): { at: number; SendAt: string } {
    const inMs = random.from(150, 2_000)
    return { at: clock.elapsed() + inMs, SendAt: new Date(clock.now() + inMs).toISOString() }
  }
}
