import { micros } from '@wigwag/contract'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { compose, type Gateway } from '../../src/gateway/compose.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { listen } from '../../src/net/server/listen.ts'
import { schemaImage } from '../../src/store/schema/migrate.ts'
import { cheapCheck, cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { type EngineName, makePlace } from './engine.ts'
import { openKept } from './kept.ts'
import { PATIENT } from './patient.ts'

/** A whole gateway behind a real socket, on the machine's own time. */
export interface Front {
  url: string
  gateway: Gateway
  /** Makes an account with one wallet. */
  account(name: string, balance: number, email?: string): Promise<AccountSecrets>
  close(): Promise<void>
}

export async function openFront(
  database: string,
  changes: Partial<Config> = {},
  options: Partial<RunOptions> = {},
): Promise<Front> {
  const config = loadConfig({ database }, {}, import.meta.dirname)
  const gateway = await compose(
    { ...config, simulator: { ...config.simulator, delayMs: 20 }, submitRetryMs: [20, 40], ...changes },
    {
      clock: systemClock,
      log: pino({ level: 'silent' }),
      image: await schemaImage(),
      ...PATIENT,
      openDatabase: openKept,
      hash: async (password) => cheapHash(password),
      check: cheapCheck,
      onFatal(error) {
        throw error
      },
      ...options,
    },
  )
  const { app, requestId } = gateway
  const listener = await listen({ app, host: '127.0.0.1', port: 0, requestId })
  gateway.servedAt(listener.url)
  gateway.start()
  return {
    url: listener.url,
    gateway,
    account: (name, balance, email = `${name}@example.com`) =>
      gateway.operator.createAccount({
        name,
        email,
        currency: 'GHS',
        balance: micros(balance),
        senders: ['WIGWAG'],
      }),
    async close() {
      gateway.drain()
      await listener.close(1_000)
      await gateway.stop()
    },
  }
}

/** A front for all tests of a file, which is to ask for it before the first of them. */
export async function shareFront(...options: Parameters<typeof openFront>): Promise<Front> {
  const front = await openFront(...options)
  afterAll(() => front.close())
  return front
}

/** A front on an engine that all tests of a file share. */
export async function shareFrontOn(
  engine: EngineName,
  ...more: Parameters<typeof openFront> extends [string, ...infer More] ? More : never
): Promise<Front> {
  const place = await makePlace(engine)
  afterAll(place.remove)
  return shareFront(place.url, ...more)
}

export interface Answer {
  status: number
  text: string
  headers: Headers
}

export interface Ask {
  path: string
  body?: object
  key?: string
  method?: string
  /** Hangs up when there is no answer by then. */
  timeoutMs?: number
}

/** One request of an account's client. */
export function call(url: string, { clientId, clientSecret, walletToken }: AccountSecrets, ask: Ask) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  return callWith(url, { authorization, 'x-wallet': `Token ${walletToken}` }, ask)
}

/** One request of whoever these headers prove. */
export async function callWith(
  url: string,
  proof: Record<string, string>,
  { path, body, key, method = body ? 'POST' : 'GET', timeoutMs }: Ask,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...proof,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

export const SINGLE = '/v1/messages/sms'
export const BULK = '/v1/messages/sms/bulk/otm'
export const BALANCE = '/v1/account/balance'

export const single = (to = '233241234567') => ({ From: 'WIGWAG', To: to, Content: 'Hello' })

export const bulk = (recipients: readonly string[]) => ({
  From: 'WIGWAG',
  Content: 'Hello',
  Recipients: recipients.map((To) => ({ To })),
})
