import { randomUUID } from 'node:crypto'
import { fromDecimal, type Micros, toDecimal } from '@wigwag/contract'
import { type Balance, type CallOptions, type Estimate, WigwagError } from '@wigwag/sdk'
import { systemNow } from '../clock.ts'
import type { ProgramAnswer, Yes } from '../confirm/index.ts'
import { type Asked, type Audit, type AuditLine, askedOf, digestOf, NOT_ASKED } from './audit.ts'
import { createMemoryJournal } from './entries.ts'
import type { EarlierSend, End, Journal, Known } from './journal.ts'
import {
  type Candidate,
  checkAgreed,
  checkAllowance,
  checkDay,
  checkDuplicate,
  checkFunds,
  checkMaxCost,
  checkRecipient,
  type Left,
  type LimitOnCost,
  type Limits,
  leftAfter,
  leftAtGateway,
  priceFor,
  repeatedSend,
} from './spending-rules.ts'

type Priced = Pick<Estimate, 'Cost'> & Partial<Pick<Estimate, 'Currency' | 'Allowance'>>

/** A send, as its tool passes it to the gate. */
export interface GatedSend<Result> {
  tool: string
  to: string
  /** The message. Two sends with equal messages are the same send. */
  message: Readonly<Record<string, unknown>>
  maxCost: number | undefined
  idempotencyKey: string | undefined
  /** The person's yes to it, if they were asked. */
  yes?: Yes | undefined
  /** Asks the gateway for the price. Undefined when the gateway tells none. */
  estimate(options?: CallOptions): Promise<Priced | undefined>
  send(options: CallOptions): Promise<Result>
}

/** A send that a person is to be asked about, before it is made. */
export interface PlannedSend extends Omit<GatedSend<unknown>, 'send' | 'yes' | 'estimate'> {
  /** Asks for the price, and has the gateway check a new send in full. */
  estimate(isNew: boolean): Promise<Estimate | undefined>
  /** The amount that the wallet can spend; undefined when it can't be found out. */
  balance(): Promise<Pick<Balance, 'balance'> | undefined>
}

/** The price of a send that is not made yet, and what the limits leave for it. */
export interface Preview {
  /** Undefined when the gateway tells no prices. */
  estimate: Estimate | undefined
  left: Left
}

/** A send that was made, and its price. */
export interface Sent<Result> {
  result: Result
  /** Undefined when the gateway told no price. */
  cost: Micros | undefined
  currency: string | undefined
  /** The rest of today's limits after this send. */
  left: Left
}

/** A change to a message that costs nothing, such as a cancellation. */
export interface GatedWrite<Result> {
  tool: string
  ticket: string
  yes?: Yes | undefined
  write(): Promise<Result>
}

/** Applies the limits of one connection to its tools. No tool can change them. */
export interface Gate {
  /** Sends if every limit allows it; otherwise rejects and says what the limit still allows. */
  send<Result extends { Ticket: string }>(send: GatedSend<Result>): Promise<Sent<Result>>
  /** Checks what `send` would check, so that a person is not asked about what a limit forbids. It counts nothing. */
  preview(send: PlannedSend): Promise<Preview>
  /** Runs the write and records it in the audit. */
  write<Result>(write: GatedWrite<Result>): Promise<Result>
  /** Records a write that was refused before it reached the gate, with what the program answered if it was asked. */
  refuse(tool: string, values: Readonly<Record<string, unknown>>, program?: ProgramAnswer | 'none'): void
  /** The tickets of what the connection has sent today and yesterday, newest first. */
  sent(most: number): Promise<string[]>
}

export interface GateOptions {
  /** The connection that the limits apply to. Sends of others do not count. */
  connection: string
  limits?: Limits
  /** Where sends are counted. In memory by default. */
  journal?: Journal
  audit?: Audit
  now?: () => number
  newId?: () => string
}

const BRIEFLY: CallOptions = { retries: 0, timeout: 5_000 }

export function createGate(options: GateOptions): Gate {
  const { connection, limits = {}, journal = createMemoryJournal(), audit = () => {} } = options
  const { now = systemNow, newId = randomUUID } = options

  /** Finds the send that this one repeats. Checks a new one against the limits, and returns what they left before it. */
  function examine(known: Known, candidate: Candidate): { earlier?: EarlierSend; left: Left } {
    const earlier = repeatedSend(known, candidate)
    if (earlier) return { earlier, left: {} }
    checkDuplicate(known.twin, candidate)
    return { left: checkDay(known.day, candidate, limits) }
  }

  function line(tool: string, digest: string) {
    return { time: new Date(now()).toISOString(), connection, tool, digest }
  }

  /** If the result can't be written, the send stays counted. The caller still gets the result of the send. */
  async function conclude(end: Omit<End, 'at'>): Promise<void> {
    await journal.end({ at: now(), ...end }).catch(() => {})
  }

  /** The price, for the limits and the audit. If no limit needs it, a send goes out without one. */
  async function price({ maxCost, yes, estimate }: GatedSend<unknown>) {
    const limit = limitOnCost(maxCost) ?? (yes?.cost === undefined ? undefined : 'the price agreed to')
    if (limit === undefined) {
      const told = await estimate(BRIEFLY).catch(() => undefined)
      return { told, cost: told && fromDecimal(told.Cost) }
    }
    const told = await estimate()
    const cost = priceFor(limit, told)
    if (maxCost !== undefined) checkMaxCost(cost, maxCost)
    if (yes?.cost !== undefined) checkAgreed(cost, yes.cost)
    return { told, cost }
  }

  /** The limit that can't be checked without the price. */
  function limitOnCost(maxCost: number | undefined): LimitOnCost | undefined {
    if (limits.dailySpend !== undefined) return 'the daily spend'
    return maxCost === undefined ? undefined : 'max_cost'
  }

  /** Checks the limits and counts the send; rejects if a limit forbids it. */
  async function allow(request: GatedSend<unknown>, digest: string) {
    checkRecipient(request.to, limits)
    const { told, cost } = await price(request)
    const { tool, idempotencyKey, yes } = request
    const key = idempotencyKey ?? yes?.key
    const isMeant = idempotencyKey !== undefined
    const candidate = { connection, tool, at: now(), digest, cost: cost ?? null, key, isMeant }
    let left: Left = {}
    const id = await journal.attempt(candidate, (known) => {
      const { earlier, left: ours } = examine(known, candidate)
      const before = { ...leftAtGateway(told), ...ours }
      // A repeat takes nothing of what is left.
      left = earlier ? before : leftAfter(before, cost)
      return earlier?.id ?? newId()
    })
    return { id, cost, key, currency: told?.Currency, left }
  }

  return {
    async send(request) {
      const { tool, message, yes, send } = request
      const digest = digestOf(tool, message)
      const record = (outcome: AuditLine['outcome'], cost?: Micros, ticket: string | null = null) =>
        audit({
          ...line(tool, digest),
          cost: cost === undefined ? null : toDecimal(cost),
          ticket,
          outcome,
          ...askedAbout(yes),
        })

      const { id, cost, key, currency, left } = await allow(request, digest).catch((error) => {
        record('refused')
        throw error
      })
      const result = await send({ idempotencyKey: key }).catch(async (error) => {
        const { outcome, key: used } = outcomeOf(error)
        await conclude({ id, outcome, ...(used && { key: used }) })
        record(outcome, cost)
        throw error
      })
      await conclude({ id, outcome: 'sent', ticket: result.Ticket })
      record('done', cost, result.Ticket)
      return { result, cost, currency, left }
    },

    async preview({ tool, to, message, maxCost, idempotencyKey: key, estimate: ask, balance }) {
      checkRecipient(to, limits)
      const attempt = { connection, tool, at: now(), digest: digestOf(tool, message), cost: null, key }
      const known = await journal.known(attempt)
      const earlier = repeatedSend(known, attempt)
      if (!earlier) checkDuplicate(known.twin, { isMeant: key !== undefined })
      const estimate = await ask(!earlier)
      const limit = limitOnCost(maxCost)
      const told = limit ? priceFor(limit, estimate) : estimate && fromDecimal(estimate.Cost)
      const cost = told ?? null
      if (cost !== null && maxCost !== undefined) checkMaxCost(cost, maxCost)
      // A repeat takes nothing of what is left.
      if (earlier) return { estimate, left: {} }
      const theirs = estimate && checkAllowance(estimate, to)
      const ours = checkDay(known.day, { ...attempt, cost, isMeant: key !== undefined }, limits)
      if (estimate) checkFunds(estimate, await balance())
      return { estimate, left: { ...theirs, ...ours } }
    },

    refuse(tool, values, program) {
      audit({
        ...line(tool, digestOf(tool, values)),
        cost: null,
        ticket: null,
        outcome: 'refused',
        ...(program === undefined ? NOT_ASKED : askedOf(program)),
      })
    },

    sent: (most) => journal.sent(connection, now(), most),

    async write({ tool, ticket, yes, write }) {
      const base = { ...line(tool, digestOf(tool, { ticket })), cost: null, ticket, ...askedAbout(yes) }
      try {
        const result = await write()
        audit({ ...base, outcome: 'done' })
        return result
      } catch (error) {
        audit({ ...base, outcome: outcomeOf(error).outcome })
        throw error
      }
    },
  }
}

/** Only an error of the SDK can prove that nothing was sent; after any other, the send may have gone out. */
function outcomeOf(error: unknown): { outcome: 'failed' | 'uncertain'; key?: string | undefined } {
  if (!(error instanceof WigwagError)) return { outcome: 'uncertain' }
  return { outcome: error.uncertain ? 'uncertain' : 'failed', key: error.idempotencyKey }
}

/** A write gets here unasked or after a yes. Any other answer was refused before. */
function askedAbout(yes: Yes | undefined): Asked {
  return yes ? askedOf('accept') : NOT_ASKED
}
