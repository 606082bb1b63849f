/** A user's program, in either kind of module: `@load` stands for the imports. */
const program = `
const sms = createClient({ ...options, fetch: nodeTransport() })
const plain = createClient(options)
const sent = await sms.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', Reference: 'order-1' })
const final = await plain.waitForFinal(sent.Ticket, { timeout: 20_000 })
const secret = 'whsec_' + btoa('a secret of some length')
const payload = { ClientReference: 'order-1', Ticket: sent.Ticket, Destination: sent.Destination, Cost: 1, BalanceBefore: 2, BalanceAfter: 1, Status: final.Status }
const body = JSON.stringify(payload)
const verified = await verifyCallback({ body, headers: await signCallback(body, secret) }, secret)
const refused = await sms.sendSms({ From: 'WIGWAG', To: 'nobody', Content: 'Hello' }).catch((error) => error)
const count = countSegments('Hello').segments
console.log(JSON.stringify({
  segments: count,
  node: process.versions.node,
  status: final.Status,
  verified: verified.Ticket === sent.Ticket,
  refused: [refused instanceof ValidationError, refused.code],
}))
`

const names = 'createClient, signCallback, ValidationError, verifyCallback'
const options = `const options = {
  baseUrl: process.env.WIGWAG_BASE_URL,
  clientId: process.env.WIGWAG_CLIENT_ID,
  clientSecret: process.env.WIGWAG_CLIENT_SECRET,
  walletToken: process.env.WIGWAG_WALLET_TOKEN,
}`

export const programs: Record<string, string> = {
  'program.mjs': `import { ${names} } from '@wigwag/sdk'
import { nodeTransport } from '@wigwag/sdk/node'
import { countSegments } from '@wigwag/sdk/segments'
${options}
${program}`,
  'program.cjs': `const { ${names} } = require('@wigwag/sdk')
const { nodeTransport } = require('@wigwag/sdk/node')
const { countSegments } = require('@wigwag/sdk/segments')
${options}
;(async () => {
${program}
})()`,
}

/**
 * A program for the compiler, in either kind of module. Its lines that must fail prove that no type is `any`.
 */
export const typed = `import { createClient, GatewayError, type SendResult, type Status } from '@wigwag/sdk'
import { nodeTransport } from '@wigwag/sdk/node'
import { createRawClient } from '@wigwag/sdk/raw'
import { estimateMany } from '@wigwag/sdk/segments'
import { createFakeClient, type FakeClient, signedCallback } from '@wigwag/sdk/testing'

const sms = createClient({
  baseUrl: 'http://127.0.0.1:8080',
  accessToken: 'token',
  fetch: nodeTransport({ connections: 4 }),
})
export async function send(): Promise<Status> {
  // @ts-expect-error: a message has a recipient
  await sms.sendSms({ From: 'ACME', Content: 'Hello' })
  const sent: SendResult = await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' })
  // @ts-expect-error: a ticket is a text
  const wrong: number = sent.Ticket
  const { exact }: { exact: boolean } = await estimateMany(sms, { From: 'ACME', Content: 'Hello' }, [{ To: '233201234567' }])
  // @ts-expect-error: a recipient has a number
  await estimateMany(sms, { From: 'ACME', Content: 'Hello' }, [{ Name: exact }])
  const { data } = await createRawClient().GET('/v1/account/balance')
  // @ts-expect-error: there is no such path
  await createRawClient().GET('/v1/nothing')
  for await (const message of sms.searchMessages({ Status: 'failed' })) console.log(message.To, data?.balance, wrong)
  return sent.Status
}
export async function test(): Promise<string> {
  const fake: FakeClient = createFakeClient({ outcome: 'success' })
  // @ts-expect-error: there is no such operation
  fake.fail('sendNothing', 'timeout')
  // @ts-expect-error: a balance has a currency
  fake.answer('getBalance', { balance: 1 })
  fake.answer('getRates', ({ path }) => ({ Country: path, Currency: 'GHS', Networks: [], Sample: true }))
  return (await signedCallback({ Status: 'failed' }, 'whsec_c2VjcmV0')).body
}
export const isGatewayError = (error: unknown): error is GatewayError => error instanceof GatewayError
`
