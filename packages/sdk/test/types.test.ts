import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { components, operations } from '@wigwag/contract/openapi'
import * as undici from 'undici'
import { describe, expectTypeOf, it } from 'vitest'
import type { Operations, success } from '../src/generated/models.ts'
import {
  type Balance,
  type CallbackPayload,
  type Client,
  type ClientOptions,
  createClient,
  type ErrorCode,
  type FieldError,
  type FoundMessage,
  type GatewayError,
  isFinal,
  type Key,
  type KnownStatus,
  type ManyOutcome,
  type Message,
  type NewerStatus,
  type OperationId,
  type SenderId,
  type SendResult,
  type SmsMessage,
  type Status,
  type Transaction,
  toNodeHandler,
  type verifyCallback,
} from '../src/index.ts'
import { places } from '../src/operations.ts'
import { createRawClient } from '../src/raw.ts'

const baseUrl = 'http://127.0.0.1:8080'
const fetch = () => Response.json({})
const sms: Client = createClient({ baseUrl, accessToken: 'token', fetch, retries: 0 })

// The compiler reads these; they are never called. See docs/docs.compiler.test.ts.
const neverCalled = (..._: (() => unknown)[]) => {}

/** A program's input as it is sent: times are texts, and every message of a send has its sender. */
type AsSent<Id extends OperationId, Given> = {
  [Name in keyof Given as Name extends Filled<Id> ? never : Name]: Exclude<Given[Name], Date | success>
} & { [Name in keyof Given as Name extends Filled<Id> ? Name : never]-?: Given[Name] }
type Filled<Id> = Id extends 'sendSms' | 'sendBulkSms' | 'scheduleSms' ? 'From' : never

/** A type written out, so that two ways to declare the same shape are equal. A status to come is any other text. */
type Plain<Type> = Type extends NewerStatus
  ? string & {}
  : Type extends string | number | boolean | undefined
    ? Type
    : Type extends readonly (infer Item)[]
      ? Plain<Item>[]
      : { [Name in keyof Type as Name extends 'callbackUrl' ? never : Name]: Plain<Type[Name]> }

type Documented = {
  [Id in OperationId]: {
    path: operations[Id]['parameters'] extends { path: infer Path extends object }
      ? Path[keyof Path]
      : undefined
    query: Plain<operations[Id]['parameters']['query']>
    body: operations[Id] extends { requestBody: { content: { 'application/json': infer Content } } }
      ? Plain<Content>
      : undefined
    output: Plain<operations[Id]['responses'][200]['content']['application/json']>
  }
}

describe('the types', () => {
  it('say what the document says, but for another spelling of the callback URL, dates and what is filled in', () => {
    type Models = {
      [Id in OperationId]: {
        path: Operations[Id]['path']
        // A query that requires nothing may be left out.
        query: Plain<
          Partial<Operations[Id]['query']> extends Operations[Id]['query']
            ? AsSent<Id, Operations[Id]['query']> | undefined
            : AsSent<Id, Operations[Id]['query']>
        >
        body: Operations[Id]['body'] extends undefined ? undefined : Plain<AsSent<Id, Operations[Id]['body']>>
        output: Plain<Operations[Id]['output']>
      }
    }
    expectTypeOf<Models>().toEqualTypeOf<Documented>()
    expectTypeOf<Plain<FieldError>>().toEqualTypeOf<Plain<components['schemas']['FieldError']>>()
    expectTypeOf<Plain<CallbackPayload>>().toEqualTypeOf<Plain<components['schemas']['CallbackPayload']>>()
    expectTypeOf<ErrorCode>().toEqualTypeOf<components['schemas']['ProblemCode']>()
    neverCalled(() => {
      const given: components['schemas']['SmsMessage'] = {
        From: 'ACME',
        To: '233201234567',
        Content: 'Hello',
      }
      // @ts-expect-error one spelling is enough
      sms.sendSms({ ...given, callbackUrl: 'https://shop.example' } satisfies SmsMessage)
      return sms.sendSms(given)
    })
  })

  it('take one kind of credentials or the other', () => {
    neverCalled(
      () => createClient({ baseUrl, clientId: 'a', clientSecret: 'b', walletToken: 'c' }),
      // @ts-expect-error the secret and the wallet are missing
      () => createClient({ baseUrl, clientId: 'a' }),
      // @ts-expect-error two kinds at once
      () => createClient({ baseUrl, clientId: 'a', clientSecret: 'b', walletToken: 'c', accessToken: 'd' }),
      () => createClient(),
      () => createClient({ baseUrl: process.env.WIGWAG_BASE_URL, accessToken: process.env.TOKEN }),
      () =>
        createClient({ clientId: process.env.A, clientSecret: process.env.B, walletToken: process.env.C }),
    )
    expectTypeOf(createClient).parameter(0).toEqualTypeOf<ClientOptions | undefined>()
  })

  it('take the fetch of undici as well as the global one', () => {
    neverCalled(
      () => createClient({ fetch: undici.fetch }),
      () => createClient({ fetch: globalThis.fetch }),
      () => createRawClient({ fetch: undici.fetch }),
      () => {
        const { text, ...mute } = Response.json({})
        // @ts-expect-error it can't be read
        createClient({ fetch: () => mute })
        return text
      },
    )
  })

  it('know what each operation takes and gives', () => {
    expectTypeOf<Awaited<ReturnType<Client['sendSms']>>>().toEqualTypeOf<SendResult>()
    expectTypeOf<Awaited<ReturnType<Client['sendBulkSms']>>>().toEqualTypeOf<SendResult[]>()
    expectTypeOf<Awaited<ReturnType<Client['getBalance']>>>().toEqualTypeOf<Balance>()
    expectTypeOf<Awaited<ReturnType<Client['getMessage']>>>().toEqualTypeOf<Message>()
    expectTypeOf<Awaited<ReturnType<Client['waitForFinal']>>>().toEqualTypeOf<Transaction>()
    neverCalled(
      // @ts-expect-error a recipient is missing
      () => sms.sendSms({ From: 'ACME', Content: 'Hello' }),
      // @ts-expect-error names are case-sensitive
      () => sms.sendSms({ from: 'ACME', To: '233201234567', Content: 'Hello' }),
      // @ts-expect-error a time is missing
      () => sms.scheduleSms({ From: 'ACME', To: '233201234567', Content: 'Hello' }),
      // @ts-expect-error the grouping is missing
      () => sms.getDeliveryInsights({}),
      // @ts-expect-error no such status can be searched for
      () => sms.searchMessages({ Status: 'lost' }),
      // @ts-expect-error a string is a list of letters, not of recipients
      () => sms.sendToMany({ From: 'ACME', Content: 'Hello' }, '233201234567'),
      // @ts-expect-error there is no such path
      () => createRawClient().GET('/v1/nothing'),
    )
  })

  it('refuse a time in a message that goes out at once', () => {
    const message = { From: 'ACME', To: '233201234567', Content: 'Hello', SendAt: '2027-01-01T08:00:00Z' }
    neverCalled(
      // @ts-expect-error a time belongs to scheduleSms
      () => sms.sendSms(message),
      // @ts-expect-error a time belongs to scheduleSms
      () => sms.sendBulkSms({ ...message, Recipients: [] }),
      // @ts-expect-error a time belongs to scheduleSms
      () => sms.sendToMany(message, []),
      () => sms.scheduleSms(message),
    )
  })

  it('take a Date where a time is given', () => {
    const at = new Date()
    neverCalled(
      () => sms.scheduleSms({ To: '233201234567', Content: 'Hello', SendAt: at }),
      () => sms.searchMessages({ DateFrom: at, DateTo: at }),
      () => sms.listLedger({ DateFrom: at }),
      () => sms.getDeliveryInsights({ GroupBy: 'day', DateFrom: at }),
      () => sms.replayFailedCallbacks({ Since: at }),
    )
  })

  it('know every status, so that a comparison with another text does not compile', () => {
    const status = String('pending') as Status
    const approval = 'pending' as SenderId['Status']
    neverCalled(
      // @ts-expect-error no message is ever sent
      () => status === 'sent',
      // @ts-expect-error a sender is approved
      () => approval === 'success',
      () => status === 'success' || status === 'cancelled',
      () => {
        switch (status) {
          case 'pending':
          case 'scheduled':
            return ''
          case 'success':
          case 'undelivered':
          case 'expired':
          case 'rejected':
          case 'failed':
          case 'cancelled':
            return 'over'
          default:
            // Statuses that a newer gateway adds are left.
            expectTypeOf(status).toEqualTypeOf<NewerStatus>()
            return status.toUpperCase()
        }
      },
      // @ts-expect-error none that is to come can be searched for
      () => sms.searchMessages({ Status: status }),
      () => sms.searchMessages({ Status: 'cancelled' satisfies KnownStatus }),
      () => {
        const read = String('pending') as components['schemas']['Status']
        if (!isFinal(read)) expectTypeOf(read).toExtend<string>()
      },
      () => {
        if (isFinal(status)) expectTypeOf(status).toEqualTypeOf<Exclude<Status, 'pending' | 'scheduled'>>()
        else expectTypeOf(status).toEqualTypeOf<'pending' | 'scheduled'>()
      },
    )
  })

  it('keep your own rows in the outcomes of a run', () => {
    const rows = [{ To: '233201234567', Name: 'Ama' }]
    neverCalled(async () => {
      const { outcomes } = await sms.sendToMany({ From: 'ACME', Content: 'Hello' }, rows)
      expectTypeOf(outcomes).toEqualTypeOf<ManyOutcome<{ To: string; Name: string }>[]>()
      for (const outcome of outcomes) {
        expectTypeOf(outcome.recipient.Name).toEqualTypeOf<string>()
        // @ts-expect-error only an accepted one has a result
        outcome.result
        if (outcome.status === 'accepted') expectTypeOf(outcome.result).toEqualTypeOf<SendResult>()
      }
    })
  })

  it('say that what an error leaves out may be undefined', () => {
    expectTypeOf<GatewayError['retryAfter']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<GatewayError['status']>().toEqualTypeOf<number>()
    expectTypeOf<GatewayError['operation']>().toEqualTypeOf<OperationId>()
    expectTypeOf<Awaited<ReturnType<typeof verifyCallback>>>().toEqualTypeOf<CallbackPayload>()
  })

  it('give items of the page type when a list is gone through', () => {
    neverCalled(async () => {
      for await (const callback of sms.listCallbacks())
        expectTypeOf(callback.State).toEqualTypeOf<'pending' | 'delivered' | 'dead'>()
      for await (const message of sms.searchMessages()) expectTypeOf(message).toEqualTypeOf<FoundMessage>()
      for await (const sender of sms.listSenderIds()) expectTypeOf(sender).toEqualTypeOf<SenderId>()
      for await (const key of sms.listKeys()) expectTypeOf(key).toEqualTypeOf<Key>()
    })
  })

  it('fit Node without its types being needed', () => {
    const handler = toNodeHandler(async () => new Response())
    expectTypeOf(handler).toBeCallableWith({} as IncomingMessage, {} as ServerResponse)
    neverCalled(() => createServer(handler))
  })

  it('have a place for every operation of the document, and a method on the client', () => {
    expectTypeOf<keyof typeof places>().toEqualTypeOf<keyof operations>()
    type Method = Exclude<OperationId, 'deliveryInsights'> | 'getDeliveryInsights'
    expectTypeOf<Method>().toExtend<keyof Client>()
    // @ts-expect-error a place that the document does not give
    places.sendSms satisfies readonly ['get', '/v1/messages/sms', true]
  })
})
