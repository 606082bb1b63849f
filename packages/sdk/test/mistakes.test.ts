import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient, signCallback, verifyCallback } from '../src/index.ts'
import { estimateMany } from '../src/segments/index.ts'
import { list, message, numbers, start } from './bulk-gateway.ts'
import { failure } from './fault-server.ts'

const one = { From: 'ACME', To: '233201234567', Content: 'Hello' }

/** Options as a program without types may pass them. */
const untyped = (options: object): object => options

describe('an option of the wrong kind', () => {
  it.each([
    ['line\nbreak', 'Expected the idempotencyKey to be one line of ASCII characters; got something else.'],
    ['ключ', 'Expected the idempotencyKey to be one line of ASCII characters; got something else.'],
    ['', 'Expected an idempotencyKey with at least one character; got none.'],
  ])('is named, as the idempotency key %j', async (idempotencyKey, said) => {
    const { sms, gateway } = start()
    const error = await failure(sms.sendSms(one, { idempotencyKey }))
    expect(error).toEqual(new TypeError(said))
    expect(gateway.requests).toEqual([])
  })

  it('is named without its value when it is a credential', async () => {
    const { gateway } = start()
    const options = { baseUrl: 'https://gateway.test', accessToken: 'se\ncret', fetch: gateway.fetch }
    const error = await failure(createClient(options).getBalance())
    expect(error).toEqual(
      new TypeError(
        "Expected the header 'Authorization' to be one line of ASCII characters; got something else.",
      ),
    )
  })

  it.each([
    [3, '3'],
    ['now', "'now'"],
    [{}, 'Object'],
  ])('is named, as the signal %j', async (signal, shown) => {
    const { sms, gateway } = start()
    const said = `Expected signal to be an AbortSignal; got ${shown}.`
    expect(await failure(sms.getBalance(untyped({ signal })))).toEqual(new TypeError(said))
    expect(await failure(sms.waitForFinal('t', untyped({ signal })))).toEqual(new TypeError(said))
    expect(await failure(sms.sendToMany(message, list(3), untyped({ signal })))).toEqual(new TypeError(said))
    expect(gateway.requests).toEqual([])
  })

  it.each([Number.NaN, -1, '300', null])('is named, as the tolerance %j', async (tolerance) => {
    const headers = await signCallback('{}', 'whsec_c2VjcmV0', { timestamp: 1 })
    const verifying = verifyCallback({ body: '{}', headers }, 'whsec_c2VjcmV0', untyped({ tolerance }))
    await expect(verifying).rejects.toThrow(/^Expected tolerance to be a number of at least 0; got /)
  })

  it('of a clock that is none makes no callback young', async () => {
    const headers = await signCallback('{}', 'whsec_c2VjcmV0', { timestamp: 1 })
    const verifying = verifyCallback({ body: '{}', headers }, 'whsec_c2VjcmV0', { now: () => Number.NaN })
    await expect(verifying).rejects.toMatchObject({ reason: 'old' })
  })
})

describe('a list that is none', () => {
  it.each([undefined, null, 7, '233201234567', {}])(
    'is refused, as %j, and nothing is sent',
    async (rows) => {
      const { sms, gateway } = start()
      const { recipients }: { recipients: [] } = Object({ recipients: rows })
      const error = await failure(sms.sendToMany(message, recipients))
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toHaveProperty('message', expect.stringMatching(/^recipients: expected a list, .*; got /))
      expect(gateway.requests).toEqual([])
      await expect(estimateMany(sms, message, recipients)).rejects.toThrow(/^recipients: expected a list/)
    },
  )

  it.each(['Open at nine', 'Dear {Name}'])(
    'has recipients that are none, each refused alone: %s',
    async (Content) => {
      const { sms, gateway } = start()
      const good = list(2).map((row) => ({ ...row, Name: 'Ama' }))
      const { rows }: { rows: typeof good } = Object({ rows: [null, ...good, undefined, 7] })
      const report = await sms.sendToMany({ From: 'ACME', Content }, rows, { dedupe: 'refuse' })
      expect(report).toMatchObject({ accepted: 2, refused: 3, error: undefined })
      expect(gateway.out).toEqual(numbers(good))
      const [first] = report.outcomes.filter(({ status }) => status === 'refused')
      expect(first).toMatchObject({
        index: 0,
        field: { pointer: '/Recipients/0', detail: expect.stringContaining('got null') },
      })
    },
  )

  it('of numbers that are no texts is estimated as the gateway would take it', async () => {
    const { sms } = start()
    const { rows }: { rows: { To: string }[] } = Object({ rows: [{ To: 233201234567 }] })
    expect(await estimateMany(sms, message, rows)).toMatchObject({ recipients: 0, refused: 1 })
  })
})

describe('a checkpoint that is none', () => {
  const part = { at: 0, digest: 1, done: false, round: 0, settled: [] }
  it.each([
    [null, 'resume is of type null'],
    [7, 'resume is of type number'],
    ['', 'resume is of type string'],
    [[], 'resume is of type list'],
    [{ parts: [] }, 'resume.key is of type undefined'],
    [{ key: '', parts: [] }, 'resume.key is empty'],
    [{ key: 'run', parts: {} }, 'resume.parts is of type object'],
    [{ key: 'run', parts: [null, 7] }, 'resume.parts.1 is of type number'],
    [{ key: 'run', parts: [{ ...part, at: 'x' }] }, 'resume.parts.0.at is of type string'],
    [{ key: 'run', parts: [{ ...part, round: 'x' }] }, 'resume.parts.0.round is of type string'],
    [{ key: 'run', parts: [{ ...part, settled: 7 }] }, 'resume.parts.0.settled is of type number'],
    [{ key: 'run', parts: [{ ...part, tickets: 7 }] }, 'resume.parts.0.tickets is of type number'],
    [{ key: 'run', parts: [{ ...part, done: undefined }] }, 'resume.parts.0.done is of type undefined'],
    [{ key: 'run', parts: [], version: 3 }, 'resume.version is 3'],
    [{ key: 'run', parts: [] }, 'resume.version is undefined'],
  ])('is refused, as %j, and nothing is sent', async (resume, why) => {
    const { sms, gateway } = start()
    const said = `resume: expected the checkpoint of an earlier run; ${why}.`
    expect(await failure(sms.sendToMany(message, list(3), untyped({ resume })))).toEqual(new TypeError(said))
    expect(gateway.requests).toEqual([])
  })
})

it('a run that can make no request rejects: nothing of it is uncertain', async () => {
  const { gateway } = start()
  const without: ClientOptions = { baseUrl: 'https://gateway.test', accessToken: '', fetch: gateway.fetch }
  const run = createClient(without).sendToMany(message, list(3))
  await expect(run).rejects.toThrow(/^Expected credentials/)
  const lines = createClient({ ...without, accessToken: 'a' }).sendToMany(message, list(3), {
    headers: { a: 'b\nc' },
  })
  await expect(lines).rejects.toThrow("Expected the header 'a' to be one line")
  expect(gateway.requests).toEqual([])
})
