import { type Micros, micros } from './money.ts'

/**
 * What a wallet holds: `posted` is the end of its chain of posted entries, `held` the part of it that is
 * promised to messages still under way. Clients see posted − held as their balance.
 */
export interface Wallet {
  posted: Micros
  held: Micros
}

/**
 * A settled entry. `before` and `after` are posted balances: a hold does not change them, so the entries of
 * one wallet form a gapless chain, each `before` equal to the previous `after`.
 */
export interface Entry {
  wallet: Wallet
  before: Micros
  after: Micros
}

/** What can still be spent. Never below zero, because {@link hold} is the only way to promise money. */
export function available(wallet: Wallet): Micros {
  return micros(wallet.posted - wallet.held)
}

/** Promises an amount to a message; undefined when the wallet does not have it to spend. */
export function hold(wallet: Wallet, amount: Micros): Wallet | undefined {
  checkAmount(amount)
  if (available(wallet) < amount) return undefined
  return { posted: wallet.posted, held: micros(wallet.held + amount) }
}

/** Takes a held amount for good. */
export function post(wallet: Wallet, amount: Micros): Entry {
  const held = release(wallet, amount)
  const after = micros(wallet.posted - amount)
  return { wallet: { posted: after, held }, before: wallet.posted, after }
}

/** Gives a held amount back. Nothing was ever taken, so the posted balance stands still. */
export function voidHold(wallet: Wallet, amount: Micros): Entry {
  const held = release(wallet, amount)
  return { wallet: { posted: wallet.posted, held }, before: wallet.posted, after: wallet.posted }
}

/** Adds money to the wallet: the operator's top-up, an entry of the same chain. */
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

/** A negative amount would turn every rule here round: a hold would create money, a void would take it. */
function checkAmount(amount: Micros): void {
  if (amount < 0) throw new RangeError(`expected an amount of zero or more micros, got ${amount}`)
}
