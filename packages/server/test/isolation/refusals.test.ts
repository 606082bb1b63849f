import { operations } from '@wigwag/contract/operations'
import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../src/kernel/errors.ts'
import type { OperationId } from '../../src/net/server/handler.ts'
import { cutOff, openToCutOff, whileMissing } from '../routes/breakage.ts'
import { anotherAccount, malformedWallets, wrongCredentials } from '../routes/others.ts'
import { expectProblem, refuses } from '../routes/refuses.ts'
import { exchange, head, jsonOfSize, onSocket, SOON } from '../routes/socket.ts'
import { openHarness, shareHarness } from '../support/harness.ts'
import { ask, EXTENSIONS, OPERATIONS, requestOf } from './requests.ts'

const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }
const takesBody = (id: OperationId) => 'body' in operations[id]

/** A table that each operation cannot do without. */
const NEEDS: Record<OperationId, string> = {
  sendSms: 'outbox',
  sendBulkSms: 'outbox',
  getTransactionStatus: 'messages',
  getBalance: 'wallets',
  listLedger: 'ledger',
  searchMessages: 'messages',
  getMessage: 'messages',
  estimateCost: 'rates',
  scheduleSms: 'outbox',
  listScheduledSms: 'messages',
  cancelScheduledSms: 'messages',
  listSenderIds: 'sender_ids',
  requestSenderId: 'sender_ids',
  listKeys: 'keys',
  rotateKey: 'keys',
  getRates: 'rates',
  deliveryInsights: 'messages',
  listCallbacks: 'callbacks',
  replayCallback: 'callbacks',
  replayFailedCallbacks: 'callbacks',
}

const refused = shareHarness()

describe.each(OPERATIONS)('%s', (id) => {
  it('answers credentials that prove nobody, and wallets that are none, with 401', async () => {
    for (const { authorization, headers } of wrongCredentials(refused())) {
      const request = () => ask(refused(), id, { authorization })
      const challenge = 'scope' in operations[id] ? headers : CHALLENGE
      await refuses(refused(), request, 'invalid_credentials', { headers: challenge })
    }
    if (!operations[id].wallet) return
    for (const wallet of malformedWallets(refused())) {
      const request = () => ask(refused(), id, { 'x-wallet': wallet })
      await refuses(refused(), request, 'wallet_token_missing', { headers: CHALLENGE })
    }
  })

  it("answers another's wallet, and an account that is suspended until it is resumed, with 403", async () => {
    const harness = await openHarness()
    const { 'x-wallet': others } = await anotherAccount(harness)
    for (const wallet of operations[id].wallet ? ['Token unknown', others] : []) {
      await refuses(harness, () => ask(harness, id, { 'x-wallet': wallet }), 'wallet_forbidden')
    }
    expect((await ask(harness, id)).status).not.toBe(403)
    await harness.operator.setStatus(harness.demo.accountId, 'suspended')
    await harness.advance(1_000)
    await refuses(harness, () => ask(harness, id), 'account_suspended')
    await harness.operator.setStatus(harness.demo.accountId, 'active')
    expect((await ask(harness, id)).status).not.toBe(403)
  })

  it('answers the request beyond the burst with 429 and says when to go on', async () => {
    const harness = await openHarness({ rateLimit: { perSecond: 1, burst: 1 } })
    const policy = { 'ratelimit-policy': '"default";q=1;w=1' }
    const first = await ask(harness, id)
    if (first.ok) expect(Object.fromEntries(first.headers)).toMatchObject(policy)
    const headers = { 'retry-after': '1', ratelimit: '"default";r=0;t=1', ...policy }
    await refuses(harness, () => ask(harness, id), 'rate_limited', { headers })
    await harness.advance(1_000)
    expect((await ask(harness, id)).status).not.toBe(429)
  })

  it('answers a fault of the store with 500 and says nothing of it', async () => {
    const harness = await openHarness()
    await harness.getBalance()
    const request = () => whileMissing(harness, NEEDS[id], () => ask(harness, id))
    const detail = /^An unexpected error occurred\. Quote the requestId to support\.$/
    await refuses(harness, request, 'internal_error', { detail })
  })
})

it('every operation answers 503 and when to come back while the store cannot be reached', async () => {
  const { harness, url } = await openToCutOff()
  await harness.getBalance()
  await cutOff(url)
  for (const id of OPERATIONS) {
    await expectProblem(await ask(harness, id), 'unavailable', { headers: { 'retry-after': '1' } })
  }
})

it.each(OPERATIONS.filter(takesBody))('%s answers a body that comes too late with 408', async (id) => {
  const { path, body } = requestOf(id)
  const harness = await openHarness()
  const url = await onSocket(harness, SOON)
  const json = JSON.stringify(body)
  const text = head(harness, path, { 'content-length': String(json.length) }) + json.slice(0, -1)
  const headers = { connection: 'close' }
  await refuses(harness, () => exchange(url, text), 'request_timeout', { headers })
})

describe.each(EXTENSIONS.filter(takesBody))('%s', (id) => {
  const { path, body } = requestOf(id)

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['text that is not JSON', 'From=WIGWAG'],
    ['JSON that breaks off', '{"From":"WIGWAG"'],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
  ])('answers %s with 400', async (_, text) => {
    await refuses(refused(), () => refused().call('POST', path, {}, text), 'invalid_json')
  })

  it.each(['[]', 'null', '"text"', '0'])('answers the body %s with 422', async (text) => {
    const errors = { '': 'invalid_type' } as const
    await refuses(refused(), () => refused().call('POST', path, {}, text), 'invalid_type', { errors })
  })

  it('answers a body of more than 64 KiB with 413', async () => {
    const harness = await openHarness()
    const taken = 'pathParameters' in operations[id] ? 404 : 200
    expect((await harness.call('POST', path, {}, jsonOfSize(65_536, body))).status).toBe(taken)
    const request = () => harness.call('POST', path, {}, jsonOfSize(65_537, body))
    await refuses(harness, request, 'body_too_large')
  })

  it.each([undefined, 'text/plain', 'application/json5'])(
    'answers the content type %s with 415',
    async (type) => {
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      const request = () => refused().call('POST', path, { 'content-type': type }, bytes)
      await refuses(refused(), request, 'unsupported_media_type')
    },
  )
})

it.each(['', 'k'.repeat(256), 'two words', 'clé'])(
  'scheduleSms answers the idempotency key %j with 400',
  async (key) => {
    const request = () => ask(refused(), 'scheduleSms', { 'idempotency-key': key })
    await refuses(refused(), request, 'invalid_idempotency_key' satisfies ProblemCode)
  },
)
