import { randomUUID } from 'node:crypto'
import { fromDecimal, type Micros, toDecimal } from '@wigwag/contract'
import { type CallOptions, WigwagError } from '@wigwag/sdk'
import { systemNow } from '../clock.ts'
import { ToolError } from '../tool-error.ts'
import { type Audit, type AuditLine, digestOf } from './audit.ts'
import { createMemoryJournal, type Entry, type Journal, sendsOf } from './journal.ts'
import {
  type Candidate,
  checkDay,
  checkDuplicate,
  checkMaxCost,
  checkRecipient,
  type Limits,
  repeatedSend,
} from './spending-rules.ts'

/** A send, as its tool passes it to the gate. */
export interface GatedSend<Result> {
  tool: string
  to: string
  /** The message. Two sends with equal messages are the same send. */
  message: Readonly<Record<string, unknown>>
  maxCost: number | undefined
  idempotencyKey: string | undefined
  /** Asks the gateway for the price. */
  estimate(options?: CallOptions): Promise<{ Cost: number }>
  send(options: CallOptions): Promise<Result>
}

/** A write that costs nothing. */
export interface GatedWrite<Result> {
  tool: string
  ticket: string
  write(): Promise<Result>
}

/** Applies the limits of one connection to its tools. No tool can change them. */
export interface Gate {
  /** Sends if every limit allows it; otherwise rejects and says what the limit still allows. */
  send<Result extends { Ticket: string }>(send: GatedSend<Result>): Promise<Result>
  /** Runs the write and records it in the audit. */
  write<Result>(write: GatedWrite<Result>): Promise<Result>
  /** Records a write that was refused before it reached the gate. */
  refuse(tool: string, values: Readonly<Record<string, unknown>>): void
  /** The tickets of what the connection has sent today and yesterday, newest first. */
  sent(): Promise<string[]>
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

  /** Counts a send before it leaves, and returns its id in the journal. */
  function reserve(tool: string, candidate: Candidate): Promise<string> {
    return journal.exclusively(candidate.at, (entries) => {
      const sends = sendsOf(entries, connection)
      const earlier = repeatedSend(sends, candidate)
      if (!earlier) {
        checkDuplicate(sends, candidate)
        checkDay(sends, candidate, limits)
      }
      const { at, digest, key, cost = null } = candidate
      const id = earlier?.id ?? newId()
      return {
        append: [{ kind: 'attempt', id, at, connection, tool, digest, cost, ...(key && { key }) }],
        value: id,
      }
    })
  }

  function line(tool: string, digest: string) {
    return { time: new Date(now()).toISOString(), connection, tool, digest }
  }

  /** If the result can't be written, the send stays counted. The caller still gets the result of the send. */
  async function settle(end: Omit<Extract<Entry, { kind: 'end' }>, 'kind' | 'at'>): Promise<void> {
    const at = now()
    await journal
      .exclusively(at, () => ({ append: [{ kind: 'end', at, ...end }], value: undefined }))
      .catch(() => {})
  }

  /** The price, for the limits and the audit. If no limit needs it, a send goes out without one. */
  async function price({ maxCost, estimate }: GatedSend<unknown>): Promise<Micros | undefined> {
    if (limits.dailySpend === undefined && maxCost === undefined) {
      return estimate(BRIEFLY).then(
        ({ Cost }) => fromDecimal(Cost),
        () => undefined,
      )
    }
    const cost = fromDecimal((await estimate()).Cost)
    if (cost === undefined) {
      throw new ToolError(
        'Nothing was sent: a limit needs the price, and the price that the gateway gave is not valid.',
      )
    }
    if (maxCost !== undefined) checkMaxCost(cost, maxCost)
    return cost
  }

  /** Checks the limits and counts the send; rejects if a limit forbids it. */
  async function allow(request: GatedSend<unknown>, digest: string) {
    checkRecipient(request.to, limits)
    const cost = await price(request)
    const id = await reserve(request.tool, { at: now(), digest, cost, key: request.idempotencyKey })
    return { id, cost }
  }

  return {
    async send(request) {
      const { tool, message, idempotencyKey, send } = request
      const digest = digestOf(tool, message)
      const leave = (outcome: AuditLine['outcome'], cost?: Micros, ticket: string | null = null) =>
        audit({ ...line(tool, digest), cost: cost === undefined ? null : toDecimal(cost), ticket, outcome })

      const { id, cost } = await allow(request, digest).catch((error) => {
        leave('refused')
        throw error
      })
      const result = await send({ idempotencyKey }).catch(async (error) => {
        const { outcome, key } = fateOf(error)
        await settle({ id, outcome, ...(key && { key }) })
        leave(outcome, cost)
        throw error
      })
      await settle({ id, outcome: 'sent', ticket: result.Ticket })
      leave('done', cost, result.Ticket)
      return result
    },

    refuse(tool, values) {
      audit({ ...line(tool, digestOf(tool, values)), cost: null, ticket: null, outcome: 'refused' })
    },

    sent() {
      return journal.exclusively(now(), (entries) => ({
        append: [],
        value: sendsOf(entries, connection)
          .flatMap(({ tickets }) => [...tickets])
          .reverse(),
      }))
    },

    async write({ tool, ticket, write }) {
      const base = { ...line(tool, digestOf(tool, { ticket })), cost: null, ticket }
      try {
        const result = await write()
        audit({ ...base, outcome: 'done' })
        return result
      } catch (error) {
        audit({ ...base, outcome: fateOf(error).outcome })
        throw error
      }
    },
  }
}

/** Only an error of the SDK can prove that nothing was sent; after any other, the send may have gone out. */
function fateOf(error: unknown): { outcome: 'failed' | 'uncertain'; key?: string | undefined } {
  if (!(error instanceof WigwagError)) return { outcome: 'uncertain' }
  return { outcome: error.uncertain ? 'uncertain' : 'failed', key: error.idempotencyKey }
}
