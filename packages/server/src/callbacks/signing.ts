import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { toDecimal } from '@wigwag/contract'
import { callbackKeys, type KeyUses } from '../accounts/index.ts'
import type { Parts } from '../flow/parts.ts'
import { SECOND_MS } from '../kernel/time/spans.ts'
import type { Sealer } from '../store/secrets/sealing.ts'
import type { DueCallback } from './rows.ts'

/** The fields of a final message that its callback reports. */
type Reported = Pick<
  DueCallback,
  'reference' | 'ticket' | 'recipient' | 'cost' | 'balanceBefore' | 'balanceAfter' | 'status'
>

/** The seven specified fields. A final message never changes, so every attempt posts the same bytes. */
export function callbackPayload(callback: Reported): string {
  return JSON.stringify({
    ClientReference: callback.reference,
    Ticket: callback.ticket,
    Destination: callback.recipient,
    Cost: toDecimal(callback.cost),
    BalanceBefore: toDecimal(callback.balanceBefore),
    BalanceAfter: toDecimal(callback.balanceAfter),
    Status: callback.status,
  })
}

const PREFIX = 'whsec_'

/** The key in a secret. Made once and kept: making it takes longer than signing with it. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
}

/** The Standard Webhooks headers of one attempt. One signature per key, so that a rotation breaks no receiver. */
export function signatureHeaders(
  keys: readonly KeyObject[],
  { id, payload, now }: { id: string; payload: string; now: number },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signed = `${id}.${timestamp}.${payload}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${sign(key, signed)}`).join(' '),
  }
}

function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}

const CACHE_MS = SECOND_MS

/**
 * Looks up the keys that sign an account's callbacks: of the current secret, and of those it replaced a while ago. Cached
 * briefly. Callbacks that need them while they are being read share that read.
 */
export class SigningKeys {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #sealer: Sealer
  readonly #uses: Pick<KeyUses, 'note'>
  readonly #known = new Map<string, { until: number; keys: KeyObject[] }>()
  readonly #reading = new Map<string, Promise<KeyObject[]>>()

  constructor(
    parts: Pick<Parts, 'database' | 'clock'>,
    { sealer, uses }: { sealer: Sealer; uses: Pick<KeyUses, 'note'> },
  ) {
    this.#parts = parts
    this.#sealer = sealer
    this.#uses = uses
  }

  async of(accountId: string): Promise<KeyObject[]> {
    const hit = this.#known.get(accountId)
    if (hit && hit.until > this.#parts.clock.elapsed()) return hit.keys
    const shared =
      this.#reading.get(accountId) ?? this.#read(accountId).finally(() => this.#reading.delete(accountId))
    this.#reading.set(accountId, shared)
    return shared
  }

  async #read(accountId: string): Promise<KeyObject[]> {
    const { database, clock } = this.#parts
    const until = clock.elapsed() + CACHE_MS
    const secrets = await database.read((tx) => callbackKeys(tx, accountId, clock.now()))
    if (secrets.length === 0) throw new Error(`there is no account ${accountId}`)
    for (const secret of secrets) this.#uses.note(secret)
    const keys = secrets.map(({ id, stored }) =>
      signingKey(this.#sealer.open(stored, { table: 'keys', key: id })),
    )
    this.#known.set(accountId, { until, keys })
    return keys
  }
}
