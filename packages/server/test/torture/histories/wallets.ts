import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import type { SendAsk } from './history.ts'

/** A wallet, and what its clients know of it: they share it, so that they meet at the same keys and messages. */
export interface SharedWallet {
  name: string
  account: AccountSecrets
  opening: number
  /** The newest of each, with room for few: what is new is where races are. */
  keyed: SendAsk[]
  marks: string[]
  tickets: string[]
  scheduled: string[]
}

const ROOM = { keyed: 8, marks: 30, tickets: 60, scheduled: 10 }

export function shareWallet(account: AccountSecrets, name: string, opening: number): SharedWallet {
  return { name, account, opening, keyed: [], marks: [], tickets: [], scheduled: [] }
}

/** Lets all clients of the wallet know a send before it is answered, so that others repeat it meanwhile. */
export function tellAsked(wallet: SharedWallet, ask: SendAsk): void {
  if (ask.key !== undefined) keep(wallet.keyed, [ask], ROOM.keyed)
  keep(wallet.marks, [ask.mark], ROOM.marks)
}

export function tellAccepted(wallet: SharedWallet, ask: SendAsk, tickets: readonly string[]): void {
  keep(wallet.tickets, tickets, ROOM.tickets)
  if (ask.due) keep(wallet.scheduled, tickets, ROOM.scheduled)
}

function keep<T>(items: T[], added: readonly T[], room: number): void {
  items.push(...added)
  items.splice(0, Math.max(items.length - room, 0))
}
