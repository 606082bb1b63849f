import { randomUUID } from 'node:crypto'
import { fromDecimal, type Micros, toDecimal } from '@wigwag/contract'
import { type CallOptions, WigwagError } from '@wigwag/sdk'
import { type Audit, type AuditLine, digestOf } from './audit.ts'
import { systemNow } from './clock.ts'
import { createMemoryJournal, type Entry, type Journal } from './journal.ts'
import type { Limits } from './limits.ts'
import { sendsOf } from './sends.ts'
import {
  type Candidate,
  checkDay,
  checkDuplicate,
  checkMaxCost,
  checkRecipient,
  repeatedSend,
} from './spending-rules.ts'
import { ToolError } from './tool-error.ts'

/** A send that spends, as its tool hands it to the gate. */
export interface GatedSend<Result> {
  tool: string
  to: string
  /** The message: what makes two sends the same send. */
  message: Readonly<Record<string, unknown>>
  maxCost: number | undefined
  idempotencyKey: string | undefined
  /** Asks the gateway for the price. */
  estimate(options?: CallOptions): Promise<{ Cost: number }>
  send(options: CallOptions): Promise<Result>
}

/** A write that spends nothing. */
export interface GatedWrite<Result> {
  tool: string
  ticket: string
  write(): Promise<Result>
}

/** Stands between the tools of a connection and the wallet. The model has no way to move it. */
export interface Gate {
  /** Lets a send through if every limit allows it; rejects with what is left if not. */
  send<Result extends { Ticket: string }>(send: GatedSend<Result>): Promise<Result>
  /** Lets a write through and leaves its audit line. */
  write<Result>(write: GatedWrite<Result>): Promise<Result>
  /** Leaves the audit line of a write that was turned away before it came this far. */
  refuse(tool: string, values: Readonly<Record<string, unknown>>): void
  /** The tickets of what the connection has sent of late, the newest first. */
  sent(): Promise<string[]>
}

export interface GateOptions {
  /** Whom the limits are for. Sends of other connections don't count. */
  connection: string
  limits?: Limits
  /** Where sends are counted; in memory when left out. */
  journal?: Journal
  audit?: Audit
  now?: () => number
  newId?: () => string
}

const BRIEFLY: CallOptions = { retries: 0, timeout: 5_000 }

export function createGate(options: GateOptions): Gate {
  const { connection, limits = {}, journal = createMemoryJournal(), audit = () => {} } = options
  const { now = systemNow, newId = randomUUID } = options

  /** Counts a send before it leaves, and answers with its name in the journal. */
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

  /** What can't be written leaves the send counted, and must not hide what became of it. */
  async function settle(end: Omit<Extract<Entry, { kind: 'end' }>, 'kind' | 'at'>): Promise<void> {
    const at = now()
    await journal
      .exclusively(at, () => ({ append: [{ kind: 'end', at, ...end }], value: undefined }))
      .catch(() => {})
  }

  /** The price, for the limits and for the audit. Where no limit needs it, a send goes out without one as well. */
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
        'Nothing was sent: a limit needs the price, and the gateway did not give one that can be.',
      )
    }
    if (maxCost !== undefined) checkMaxCost(cost, maxCost)
    return cost
  }

  /** A send that the limits allow, counted; rejects if they don't. */
  async function letThrough(request: GatedSend<unknown>, digest: string) {
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

      const { id, cost } = await letThrough(request, digest).catch((error) => {
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

/** Only the SDK can say that nothing was sent; any other error leaves the doubt. */
function fateOf(error: unknown): { outcome: 'failed' | 'uncertain'; key?: string | undefined } {
  if (!(error instanceof WigwagError)) return { outcome: 'uncertain' }
  return { outcome: error.uncertain ? 'uncertain' : 'failed', key: error.idempotencyKey }
}
