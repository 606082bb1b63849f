import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { micros, type Unasked } from '@wigwag/contract'
import * as z from 'zod'
import { systemNow } from '../clock.ts'
import type { Question, Yes } from './question.ts'

/** How one connection asks its person before it acts. No question is stored: the client brings its state back. */
export interface Asking {
  unasked: Unasked
  /** The state of a question about one call. `digest` is that of the tool and its arguments. */
  seal(digest: string, question: Question): string
  /**
   * The agreement that a yes to this state's question gives. `stale` when the state is for another call or
   * too old; `forged` when it was not sealed for this connection.
   */
  open(state: string, digest: string): Yes | 'stale' | 'forged'
}

export interface AskingOptions {
  connection: string
  /** Secret, and the same in every process that may get the answer. */
  key: string
  unasked?: Unasked | undefined
  now?: () => number
  newKey?: () => string
}

const TEN_MINUTES = 600_000

/** The client keeps this state until the answer. It can read it, but not change it. */
const stateSchema = z.object({
  digest: z.string(),
  cost: z.int().min(0).nullable(),
  key: z.string(),
  until: z.int(),
})

export function createAsking(options: AskingOptions): Asking {
  const { connection, key, unasked = 'send', now = systemNow, newKey = randomUUID } = options

  function signed(body: string): string {
    const signature = createHmac('sha256', key)
      .update(JSON.stringify([connection, body]))
      .digest('base64url')
    return `${body}.${signature}`
  }

  return {
    unasked,

    seal(digest, { cost }) {
      const state = { digest, cost: cost ?? null, key: newKey(), until: now() + TEN_MINUTES }
      const body = Buffer.from(JSON.stringify(state)).toString('base64url')
      return signed(body)
    },

    open(text, digest) {
      const [body = ''] = text.split('.', 1)
      // The text itself, not what it decodes to: a state has exactly one form.
      const [given, expected] = [Buffer.from(text), Buffer.from(signed(body))]
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
      const state = stateSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
      if (state.digest !== digest || state.until <= now()) return 'stale'
      return { key: state.key, cost: state.cost === null ? undefined : micros(state.cost) }
    },
  }
}
