import type { MessageState } from '../receipt.ts'
import { STATUS } from '../status.ts'

/** What happens to a message. */
export interface Fate {
  /** The answer to its submission. */
  status: number
  /** The states that its receipts tell, in this order. */
  states: readonly MessageState[]
}

const ARRIVES: Fate = { status: STATUS.ok, states: ['delivered'] }

/** By the last digits of the recipient; the same as the simulator's. */
const FATES = new Map<string, Fate>([
  ['00001', { status: STATUS.ok, states: ['undeliverable'] }],
  ['00002', { status: STATUS.ok, states: ['expired'] }],
  ['00003', { status: STATUS.invalidDestination, states: [] }],
  ['00004', { status: STATUS.systemError, states: [] }],
  ['00005', { status: STATUS.ok, states: [] }],
  ['00006', { status: STATUS.ok, states: ['delivered', 'delivered', 'undeliverable', 'delivered'] }],
])

export function fateOf(recipient: string): Fate {
  return FATES.get(recipient.slice(-5)) ?? ARRIVES
}
