import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ManyCheckpoint, ManyProgress } from '../src/index.ts'
import { type Fault, list, message, numbers, start, stored } from './bulk-gateway.ts'

describe('sendToMany', () => {
  it('sends to everybody once, and gives each recipient a result', async () => {
    const { sms, gateway } = start()
    const rows = list(25)
    const report = await sms.sendToMany(message, rows, { partSize: 10 })
    expect(gateway.out.sort()).toEqual(numbers(rows))
    expect(report).toMatchObject({ accepted: 25, refused: 0, uncertain: 0, skipped: 0, error: undefined })
    for (const outcome of report.outcomes) {
      expect(outcome.recipient).toBe(rows[outcome.index])
      expect(outcome).toMatchObject({ status: 'accepted', result: { ClientReference: `c${outcome.index}` } })
    }
    expect(new Set(report.outcomes.map(({ index }) => index)).size).toBe(25)
  })

  it('lists the outcomes in the order of the list, whichever part ends first', async () => {
    const { sms, gateway } = start()
    gateway.faults = ['lost before']
    const { outcomes } = await sms.sendToMany(message, list(25), { partSize: 10 })
    expect(outcomes.map(({ index }) => index)).toEqual(list(25).map((_, at) => at))
  })

  it('refuses a key of another list: nothing of it is uncertain', async () => {
    const { sms, gateway } = start()
    const options = { idempotencyKey: 'news-7', partSize: 2 }
    await sms.sendToMany(message, list(3), options)
    const other = { ...message, Content: 'Open at ten' }
    const reused = { code: 'idempotency_key_reused', uncertain: false }
    await expect(sms.sendToMany(other, list(3), options)).rejects.toMatchObject(reused)
    const longer = await sms.sendToMany(message, list(4), options)
    expect(longer).toMatchObject({ accepted: 2, refused: 2, uncertain: 0, error: reused })
    expect(gateway.out).toHaveLength(3)
  })

  it('cuts the list at 10,000 recipients', async () => {
    const { sms, gateway } = start()
    await sms.sendToMany(message, list(20_001))
    expect(gateway.requests.map(({ recipients }) => recipients.length).sort()).toEqual([1, 10_000, 10_000])
    expect(new Set(gateway.requests.map(({ key }) => key)).size).toBe(3)
  })

  it('cuts the list at 2 MiB, counted in bytes', async () => {
    const { sms, gateway } = start()
    const rows = list(9000).map(({ To }) => ({ To, Reference: 'é'.repeat(128) }))
    await sms.sendToMany(message, rows)
    expect(gateway.requests).toHaveLength(2)
    expect(Math.max(...gateway.requests.map(({ bytes }) => bytes))).toBeGreaterThan(2 ** 21 - 400)
    expect(Math.max(...gateway.requests.map(({ bytes }) => bytes))).toBeLessThanOrEqual(2 ** 21)
  })

  it('reads a list that never ends no further than it sends', async () => {
    const { sms, gateway } = start()
    let read = 0
    let isClosed = false
    async function* endless() {
      try {
        for (;;) yield { To: String(233200000000 + read++) }
      } finally {
        isClosed = true
      }
    }
    const giveUp = new AbortController()
    const onProgress = ({ accepted }: ManyProgress) => accepted >= 30 && giveUp.abort(new Error('enough'))
    const options = { partSize: 10, concurrency: 2, signal: giveUp.signal, onProgress, collect: false }
    const report = await sms.sendToMany(message, endless(), options)
    expect(report.error).toEqual(new Error('enough'))
    expect(report.outcomes).toEqual([])
    expect(isClosed).toBe(true)
    expect(read).toBeLessThan(80)
    expect(gateway.out.length).toBeLessThanOrEqual(read)
  })

  it('has no more parts under way than it may', async () => {
    const { sms, gateway } = start()
    await sms.sendToMany(message, list(100), { partSize: 5, concurrency: 3 })
    expect(gateway.mostAtOnce).toBe(3)
    expect(gateway.requests).toHaveLength(20)
  })

  it.each<[string, unknown]>([
    ...[0, -1, Number.NaN, 0.5, '4'].map((value): [string, unknown] => ['concurrency', value]),
    ...[0, -1, Number.NaN, 1.5, 10_001].map((value): [string, unknown] => ['partSize', value]),
    ['dedupe', 'refused'],
    ['resume', {}],
    ['resume', { version: 3, key: 'a', parts: [] }],
  ])('rejects and sends nothing when %s is %s', async (name, value) => {
    const { sms, gateway } = start()
    const options: object = { [name]: value }
    await expect(sms.sendToMany(message, list(3), options)).rejects.toThrow(`${name}: expected `)
    expect(gateway.requests).toEqual([])
  })

  it('sends nothing of a row but the number and the reference, as they were when it was read', async () => {
    const { sms, gateway } = start()
    function* reused() {
      const row = { To: '', Reference: '', Name: 'secret' }
      for (const { To, Reference } of list(3)) yield Object.assign(row, { To, Reference })
    }
    let body = ''
    const fetch: typeof gateway.fetch = async (url, init) => {
      body = init.body ?? ''
      return gateway.fetch(url, init)
    }
    await start({ fetch }).sms.sendToMany(message, reused())
    expect(JSON.parse(body)).toEqual({ ...message, Recipients: list(3) })
    expect(sms).toBeDefined()
  })

  it('makes no request for an empty list', async () => {
    const { sms, gateway } = start()
    expect(await sms.sendToMany(message, [])).toMatchObject({ accepted: 0, error: undefined })
    expect(gateway.requests).toEqual([])
  })

  it('repeats a part with its own key', async () => {
    const { sms, gateway } = start()
    gateway.faults = ['lost after', 'lost before']
    const report = await sms.sendToMany(message, list(20), { partSize: 10, concurrency: 1 })
    expect(report).toMatchObject({ accepted: 20, error: undefined })
    expect(gateway.out.sort()).toEqual(numbers(list(20)))
    expect(new Set(gateway.requests.map(({ key }) => key)).size).toBe(2)
  })
})

describe('a recipient that is refused', () => {
  it('does not hold up the others of its part', async () => {
    const { sms, gateway } = start()
    const rows = list(20)
    const bad = [rows[3], rows[9], rows[15]].map((row) => row?.To ?? '')
    for (const To of bad) gateway.invalid.add(To)
    const report = await sms.sendToMany(message, rows, { partSize: 10 })
    expect(report).toMatchObject({ accepted: 17, refused: 3, error: undefined })
    expect(gateway.out.sort()).toEqual(numbers(rows).filter((To) => !bad.includes(To)))
    const refused = report.outcomes.filter(({ status }) => status === 'refused')
    expect(refused.map(({ recipient }) => recipient.To).sort()).toEqual(bad)
    for (const { recipient, ...outcome } of refused)
      expect(outcome).toMatchObject({ field: { detail: `Not ${recipient.To}.` } })
  })

  it('may be every one', async () => {
    const { sms, gateway } = start()
    for (const { To } of list(5)) gateway.invalid.add(To)
    expect(await sms.sendToMany(message, list(5))).toMatchObject({
      refused: 5,
      accepted: 0,
      error: undefined,
    })
    expect(gateway.requests).toHaveLength(1)
  })

  it.each([['/Content', '/Recipients/1/To'], ['/Recipients'], ['/Recipients/99/To']])(
    'does not make others of a part that is refused as a whole be sent: %s',
    async (...pointers) => {
      const { sms, gateway } = start()
      const errors = pointers.map((pointer) => ({ pointer, code: 'x', detail: 'x' }))
      gateway.faults = [0, 1, 2].map(() => ({ status: 422, code: 'x', errors }))
      const run = sms.sendToMany(message, list(5), { partSize: 2, concurrency: 1 })
      await expect(run).rejects.toMatchObject({ status: 422 })
      expect(gateway.requests).toHaveLength(1)
      expect(gateway.out).toEqual([])
    },
  )
})

describe('a part that fails', () => {
  it('stops the run; what is known is told, and what was not read is not', async () => {
    const { sms, gateway } = start()
    gateway.faults = [undefined, { status: 402, code: 'insufficient_funds' }]
    const report = await sms.sendToMany(message, list(100), { partSize: 10, concurrency: 1 })
    expect(report).toMatchObject({ accepted: 10, refused: 10, error: { name: 'InsufficientFundsError' } })
    expect(gateway.requests).toHaveLength(2)
  })

  it('leaves its recipients uncertain when nobody knows', async () => {
    const { sms, gateway } = start()
    gateway.faults = ['lost after', 'lost after', 'lost after']
    const report = await sms.sendToMany(message, list(20), { partSize: 10, concurrency: 1 })
    expect(report).toMatchObject({ accepted: 0, uncertain: 10, error: { name: 'ConnectionError' } })
  })

  it('waits for the parts that are under way', async () => {
    const { sms, gateway } = start()
    gateway.faults = [{ status: 403, code: 'account_suspended' }]
    const report = await sms.sendToMany(message, list(50), { partSize: 10, concurrency: 3 })
    expect(report.accepted + report.refused).toBe(gateway.requests.length * 10)
    expect(report).toMatchObject({ refused: 10, uncertain: 0 })
  })

  it('may be the list itself', async () => {
    const { sms, gateway } = start()
    async function* breaks() {
      yield* list(15)
      throw new Error('line 16 is not CSV')
    }
    const report = await sms.sendToMany(message, breaks(), { partSize: 10, concurrency: 1 })
    expect(report).toMatchObject({ accepted: 10, error: new Error('line 16 is not CSV') })
    expect(gateway.out).toHaveLength(10)
  })

  it('may be what is done with the progress: nothing goes out that was not written down', async () => {
    const { sms, gateway } = start()
    const onProgress = async () => {
      throw new Error('disk full')
    }
    await expect(sms.sendToMany(message, list(15), { onProgress })).rejects.toThrow('disk full')
    expect(gateway.requests).toEqual([])
  })

  it('leaves all of it uncertain when the results are not as many as the recipients, with the answer', async () => {
    const fetch = () => Response.json([{ Ticket: 'a', Status: 'pending' }])
    const report = await start({ fetch }).sms.sendToMany(message, list(2))
    expect(report).toMatchObject({
      accepted: 0,
      uncertain: 2,
      error: { uncertain: true, idempotencyKey: `${report.checkpoint.key}-0-0`, body: [{ Ticket: 'a' }] },
    })
  })
})

describe('a run that cannot start', () => {
  it.each([
    [401, 'invalid_credentials', 'AuthenticationError'],
    [403, 'sender_not_approved', 'GatewayError'],
    [402, 'insufficient_funds', 'InsufficientFundsError'],
    [422, 'invalid_sender', 'ValidationError'],
    [503, 'unavailable', 'GatewayError'],
  ])('rejects when the first part is answered with %i', async (status, code, name) => {
    const { sms, gateway } = start()
    gateway.faults = Array.from({ length: 12 }, () => ({ status, code }))
    const run = sms.sendToMany(message, list(50), { partSize: 10, retries: 0 })
    await expect(run).rejects.toMatchObject({ name, status, code, uncertain: false })
  })

  it('rejects when no gateway can be reached', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const { sms } = start({ fetch: () => Promise.reject(cause) })
    await expect(sms.sendToMany(message, list(5))).rejects.toMatchObject({ name: 'ConnectionError' })
  })

  it('rejects when the list cannot be read, or the signal has aborted', async () => {
    const { sms, gateway } = start()
    async function* breaks() {
      yield* list(5)
      throw new Error('no such file')
    }
    await expect(sms.sendToMany(message, breaks())).rejects.toThrow('no such file')
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(sms.sendToMany(message, list(5), { signal })).rejects.toBeDefined()
    expect(gateway.requests).toEqual([])
  })

  it('rejects a resumed run that adds nothing to what is known', async () => {
    const { sms, gateway } = start()
    const refused = { status: 402, code: 'insufficient_funds' }
    gateway.faults = [undefined, refused, refused]
    const options = { partSize: 5, concurrency: 1 }
    const { checkpoint } = await sms.sendToMany(message, list(10), options)
    const again = sms.sendToMany(message, list(10), { ...options, resume: stored(checkpoint) })
    await expect(again).rejects.toMatchObject({ status: 402 })
  })

  it.each<[string, Fault]>([
    ['a part was accepted', undefined],
    ['a part may have been accepted', { status: 500, code: 'internal_error' }],
  ])('does not reject when %s', async (_, fault) => {
    const { sms, gateway } = start()
    gateway.faults = [fault, { status: 401, code: 'invalid_credentials' }]
    const options = { partSize: 10, concurrency: 2, retries: 0 }
    const report = await sms.sendToMany(message, list(20), options)
    expect(report.error).toBeDefined()
    expect(report.accepted + report.uncertain).toBe(10)
  })

  it('does not reject when a recipient was refused alone', async () => {
    const { sms, gateway } = start()
    gateway.invalid.add(list(1)[0]?.To ?? '')
    gateway.faults = [undefined, { status: 401, code: 'invalid_credentials' }]
    const report = await sms.sendToMany(message, list(3))
    expect(report).toMatchObject({ refused: 3, error: { status: 401 } })
    expect(report.outcomes.filter((outcome) => 'field' in outcome)).toHaveLength(1)
  })
})

describe('dedupe', () => {
  const rows = [...list(4), ...list(2), ...list(6)]

  it('sends to every number of the list as often as it is there, if it is off', async () => {
    const { sms, gateway } = start()
    expect(await sms.sendToMany(message, rows, { partSize: 3 })).toMatchObject({ accepted: 12 })
    expect(gateway.out).toHaveLength(12)
  })

  it.each(['refuse', 'skip'] as const)('can %s a number that comes again, in any part', async (dedupe) => {
    const { sms, gateway } = start()
    const report = await sms.sendToMany(message, rows, { partSize: 3, dedupe })
    const others = { refused: dedupe === 'refuse' ? 6 : 0, skipped: dedupe === 'skip' ? 6 : 0 }
    expect(report).toMatchObject({ accepted: 6, error: undefined, ...others })
    expect(gateway.out.toSorted()).toEqual(numbers(list(6)))
    const fourth = report.outcomes.find(({ index }) => index === 4)
    const field = {
      pointer: '/Recipients/4/To',
      detail: expect.stringContaining('got that of index 0 again'),
    }
    expect(fourth).toMatchObject(dedupe === 'skip' ? { status: 'skipped' } : { status: 'refused', field })
  })

  it('holds across a crash, and a resume without it sends nothing', async () => {
    const { sms, gateway } = start()
    gateway.faults = [undefined, undefined, 'lost after', 'lost after', 'lost after']
    const options = { partSize: 3, concurrency: 1, dedupe: 'refuse' } as const
    const { checkpoint } = await sms.sendToMany(message, rows, options)
    const resume = stored(checkpoint)
    await expect(sms.sendToMany(message, rows, { resume })).rejects.toThrow('index 3 to 5')
    const again = await sms.sendToMany(message, rows, { ...options, resume })
    expect(again).toMatchObject({ error: undefined, uncertain: 0 })
    expect(gateway.out.toSorted()).toEqual(numbers(list(6)))
  })
})

describe('progress', () => {
  it('is told before and after every part, and each outcome once', async () => {
    const { sms } = start()
    const told: ManyProgress[] = []
    await sms.sendToMany(message, list(20), {
      partSize: 10,
      concurrency: 1,
      onProgress: (progress) => told.push({ ...progress, checkpoint: stored(progress.checkpoint) }),
    })
    expect(told.map(({ accepted }) => accepted)).toEqual([0, 10, 10, 20])
    expect(told.map(({ outcomes }) => outcomes.length)).toEqual([0, 10, 0, 10])
    const states = told.map(({ checkpoint }) => checkpoint.parts.map((part) => part?.done))
    expect(states).toEqual([[false], [true], [true, false], [true, true]])
  })
})

describe('a run that is resumed', () => {
  it('skips what was done, finds out what was not known and sends the rest', async () => {
    const { sms, gateway } = start()
    gateway.faults = [undefined, 'lost after', 'lost after', 'lost after']
    const first = await sms.sendToMany(message, list(40), { partSize: 10, concurrency: 1 })
    expect(first).toMatchObject({ accepted: 10, uncertain: 10 })
    const resume = stored(first.checkpoint)
    const second = await sms.sendToMany(message, list(40), { partSize: 10, concurrency: 1, resume })
    expect(second).toMatchObject({ skipped: 10, accepted: 30, uncertain: 0, error: undefined })
    expect(gateway.out.sort()).toEqual(numbers(list(40)))
  })

  it('sends a refused part again, once the wallet is filled', async () => {
    const { sms, gateway, clock } = start()
    gateway.faults = [undefined, { status: 402, code: 'insufficient_funds' }]
    const options = { partSize: 5, concurrency: 1 }
    const { checkpoint } = await sms.sendToMany(message, list(10), options)
    clock.time += 48 * 3_600_000
    const again = await sms.sendToMany(message, list(10), { ...options, resume: stored(checkpoint) })
    expect(again).toMatchObject({ skipped: 5, accepted: 5 })
    expect(gateway.out).toHaveLength(10)
  })

  it('does not send again what the gateway may have forgotten', async () => {
    const { sms, gateway, clock } = start()
    gateway.faults = ['lost after', 'lost after', 'lost after']
    const { checkpoint } = await sms.sendToMany(message, list(5))
    clock.time += 24 * 3_600_000
    gateway.forget()
    const resume = stored(checkpoint)
    expect(await sms.sendToMany(message, list(5), { resume })).toMatchObject({ accepted: 0, uncertain: 5 })
    expect(gateway.out).toHaveLength(5)
  })

  it('does not take a refusal at the door for the answer to a part that is not known', async () => {
    const { sms, gateway, clock } = start()
    gateway.faults = ['lost after', 'lost after', 'lost after', { status: 401, code: 'invalid_credentials' }]
    const first = await sms.sendToMany(message, list(5))
    const second = await sms.sendToMany(message, list(5), { resume: stored(first.checkpoint) })
    expect(second).toMatchObject({ refused: 0, uncertain: 5, error: { status: 401 } })
    clock.time += 24 * 3_600_000
    gateway.forget()
    await sms.sendToMany(message, list(5), { resume: stored(second.checkpoint) })
    expect(gateway.out).toHaveLength(5)
  })

  it('does not send again what a gateway without keys may have taken', async () => {
    const { sms, gateway } = start({ resend: 'when-safe' })
    gateway.faults = ['lost after']
    const { checkpoint } = await sms.sendToMany(message, list(5))
    expect(await sms.sendToMany(message, list(5), { resume: stored(checkpoint) })).toMatchObject({
      uncertain: 5,
    })
    expect(gateway.requests).toHaveLength(1)
  })

  it('leaves the checkpoint that it was given as it was', async () => {
    const { sms, gateway } = start()
    gateway.faults = ['lost after', 'lost after', 'lost after']
    const { checkpoint } = await sms.sendToMany(message, list(5))
    const before = stored(checkpoint)
    await sms.sendToMany(message, list(5), { resume: checkpoint })
    expect(checkpoint).toEqual(before)
  })

  it('answers from what is stored when only the key is known', async () => {
    const { sms, gateway } = start()
    const options = { idempotencyKey: 'news-7', partSize: 2 }
    await sms.sendToMany(message, list(5), options)
    expect(await sms.sendToMany(message, list(5), options)).toMatchObject({ accepted: 5 })
    expect(gateway.out).toHaveLength(5)
    expect(gateway.requests.every(({ key }) => key.startsWith('news-7-'))).toBe(true)
  })

  it('charges nobody twice and forgets nobody, whatever goes wrong', async () => {
    const fault = fc.constantFrom<Fault>(
      undefined,
      'lost before',
      'lost after',
      { status: 500, code: 'internal_error' },
      { status: 429, code: 'rate_limited' },
      { status: 402, code: 'insufficient_funds' },
      { status: 401, code: 'invalid_credentials' },
    )
    const run = fc.record({
      faults: fc.array(fault, { maxLength: 12 }),
      diesAt: fc.nat(12),
      hours: fc.constantFrom(0, 0, 0, 22, 24),
    })
    const shape = fc.record({
      runs: fc.array(run, { maxLength: 6 }),
      bad: fc.uniqueArray(fc.nat(22), { maxLength: 6 }),
      partSize: fc.integer({ min: 1, max: 9 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(shape, async ({ runs, bad, partSize, concurrency }) => {
        const { sms, gateway, clock } = start()
        const rows = list(23)
        for (const at of bad) gateway.invalid.add(rows[at]?.To ?? '')
        let resume: ManyCheckpoint = { version: 1, key: 'run', message: 0, partSize: 0, parts: [] }
        let age = 0
        for (const { faults, diesAt, hours } of runs) {
          gateway.faults = [...faults]
          let told = 0
          // Dies as a process does: what it last wrote down is what the next run has.
          const onProgress = ({ checkpoint }: ManyProgress) => {
            if (told++ >= diesAt) throw new Error('died')
            resume = stored(checkpoint)
          }
          const options = { partSize, concurrency, resume, onProgress, retries: 1 }
          // Rejects if nothing could start; the next run goes on from the same checkpoint.
          await sms.sendToMany(message, rows, options).catch(() => {})
          clock.time += hours * 3_600_000
          age += hours
          if (hours === 24) gateway.forget()
        }
        gateway.faults = []
        const last = await sms.sendToMany(message, rows, { partSize, concurrency, resume })
        expect(last.error).toBeUndefined()
        expect(new Set(gateway.out).size).toBe(gateway.out.length)
        const unknown = last.outcomes
          .filter(({ status }) => status === 'uncertain')
          .map(({ recipient }) => recipient.To)
        if (age < 23) expect(unknown).toEqual([])
        const known = numbers(rows).filter((To) => !gateway.invalid.has(To) && !unknown.includes(To))
        expect(gateway.out.filter((To) => !unknown.includes(To)).sort()).toEqual(known)
      }),
      { numRuns: 60 },
    )
  })
})
