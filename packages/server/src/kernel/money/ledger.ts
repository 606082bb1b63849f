import { type Micros, micros } from '@wigwag/contract'

/**
 * The balances of a wallet. `posted` is the balance after its last posted entry; `held` is the part reserved for
 * messages in progress. Clients see posted − held as their balance.
 */
export interface Wallet {
  posted: Micros
  held: Micros
}

/**
 * A ledger entry. `before` and `after` are posted balances, which holds do not change. So the entries of a wallet form
 * a gapless chain: each `before` equals the previous `after`.
 */
export interface Entry {
  wallet: Wallet
  before: Micros
  after: Micros
}

/** The amount that can still be spent. Never negative, because only {@link hold} reserves money. */
export function available(wallet: Wallet): Micros {
  return micros(wallet.posted - wallet.held)
}

/** Reserves an amount for a message; undefined when not enough is available. */
export function hold(wallet: Wallet, amount: Micros): Wallet | undefined {
  checkAmount(amount)
  if (available(wallet) < amount) return undefined
  return { posted: wallet.posted, held: micros(wallet.held + amount) }
}

/** Charges a held amount. */
export function post(wallet: Wallet, amount: Micros): Entry {
  const held = release(wallet, amount)
  const after = micros(wallet.posted - amount)
  return { wallet: { posted: after, held }, before: wallet.posted, after }
}

/** Releases a held amount. The posted balance stays the same. */
export function voidHold(wallet: Wallet, amount: Micros): Entry {
  const held = release(wallet, amount)
  return { wallet: { posted: wallet.posted, held }, before: wallet.posted, after: wallet.posted }
}

/** Adds money to the wallet: the operator's top-up, an entry in the same chain. */
export function credit(wallet: Wallet, amount: Micros): Entry {
  checkAmount(amount)
  const after = micros(wallet.posted + amount)
  return { wallet: { posted: after, held: wallet.held }, before: wallet.posted, after }
}

function release(wallet: Wallet, amount: Micros): Micros {
  checkAmount(amount)
  if (amount > wallet.held) {
    throw new RangeError(`expected to settle at most the ${wallet.held} micros held, got ${amount}`)
  }
  return micros(wallet.held - amount)
}

/** A negative amount would reverse every rule here: a hold would create money, a void would take it. */
function checkAmount(amount: Micros): void {
  if (amount < 0) throw new RangeError(`expected an amount of zero or more micros, got ${amount}`)
}
