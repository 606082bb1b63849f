import type { MessageState } from '../receipt.ts'
import { STATUS } from '../status.ts'

export interface Outcome {
  /** The answer to its submission. */
  status: number
  /** The states that its receipts tell, in this order. */
  states: readonly MessageState[]
}

const ARRIVES: Outcome = { status: STATUS.ok, states: ['delivered'] }

/** By the last digits of the recipient; the same as the simulator's. */
const OUTCOMES = new Map<string, Outcome>([
  ['00001', { status: STATUS.ok, states: ['undeliverable'] }],
  ['00002', { status: STATUS.ok, states: ['expired'] }],
  ['00003', { status: STATUS.invalidDestination, states: [] }],
  ['00004', { status: STATUS.systemError, states: [] }],
  ['00005', { status: STATUS.ok, states: [] }],
  ['00006', { status: STATUS.ok, states: ['delivered', 'delivered', 'undeliverable', 'delivered'] }],
])

export function outcomeOf(recipient: string): Outcome {
  return OUTCOMES.get(recipient.slice(-5)) ?? ARRIVES
}
