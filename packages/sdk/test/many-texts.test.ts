import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ManyCheckpoint, ManyProgress } from '../src/index.ts'
import { contentFields } from '../src/segments/index.ts'
import { type Fault, list, message, numbers, start, stored } from './bulk-gateway.ts'

const greeting = { ...message, Content: 'Dear {Name}, you owe {Amount}.' }
const people = (length: number) =>
  list(length).map((row, at) => ({ ...row, Name: ['Ama', 'Kofi', 'Esi'][at % 3], Amount: at % 2 }))
const textOf = ({ Name, Amount }: { Name: string | undefined; Amount: number }) =>
  `Dear ${Name}, you owe ${Amount}.`

describe('a text with fields', () => {
  it('names them, each once and in order, and not the braces that are text', () => {
    expect(contentFields('{Name}, {Sum} \\{x\\} {Name}')).toEqual(['Name', 'Sum'])
    expect(contentFields('Open at nine')).toEqual([])
    expect(() => contentFields('Dear {Name')).toThrow('Content: expected a field such as {Name}')
  })

  it('is sent to each with what its row says, in one request for those that have the same', async () => {
    const { sms, gateway } = start()
    const rows = people(12)
    expect(await sms.sendToMany(greeting, rows)).toMatchObject({ accepted: 12, error: undefined })
    expect(gateway.requests).toHaveLength(6)
    const sent = gateway.requests.flatMap(({ text, recipients }) => recipients.map((To) => [To, text]))
    expect(sent.toSorted()).toEqual(rows.map((row) => [row.To, textOf(row)]))
    expect(new Set(gateway.requests.map(({ key }) => key)).size).toBe(6)
  })

  it('may be each one alone, with no more requests under way than it may', async () => {
    const { sms, gateway } = start()
    const rows = list(250)
    const report = await sms.sendToMany({ ...message, Content: 'Code {Reference}' }, rows)
    expect(report).toMatchObject({ accepted: 250, checkpoint: { partSize: 100 } })
    expect(gateway.requests).toHaveLength(250)
    expect(gateway.mostAtOnce).toBe(3)
    expect(gateway.out.toSorted()).toEqual(numbers(rows))
  })

  it.each([
    ['lacks it', {}],
    ['has undefined', { Name: undefined }],
    ['has null', { Name: null }],
    ['has NaN', { Name: Number.NaN }],
    ['has an object', { Name: {} }],
    ['has a function', { Name: () => '' }],
    ['has an empty text', { Name: '' }],
    ['has nothing but blanks', { Name: ' \u00a0\n' }],
  ])('is not sent to a row that %s', async (_, fields) => {
    const { sms, gateway } = start()
    const [first, second = { To: '' }] = people(2)
    const rows = [first ?? { To: '' }, { To: second.To, Amount: 3, ...fields }]
    const report = await sms.sendToMany(greeting, rows)
    expect(report).toMatchObject({ accepted: 1, refused: 1, error: undefined })
    const detail = expect.stringContaining('Name: expected a text or a number to fill in for {Name}; got ')
    expect(report.outcomes[1]).toMatchObject({ field: { detail } })
    expect(JSON.parse(JSON.stringify(report.outcomes[1]))).toMatchObject({ error: { message: detail } })
    expect(gateway.requests.map(({ text }) => text)).toEqual(['Dear Ama, you owe 0.'])
  })

  it('does not take what every object has for a field', async () => {
    const { sms, gateway } = start()
    for (const name of ['constructor', '__proto__', 'toString']) {
      const text = { ...message, Content: `{${name}}` }
      expect(await sms.sendToMany(text, list(1))).toMatchObject({ refused: 1 })
    }
    expect(gateway.requests).toEqual([])
  })

  it.each([
    ['\\{Name\\}', '{Name}'],
    ['{"a": 1}'.replace(/[{}]/g, '\\$&'), '{"a": 1}'],
    ['C:\\temp', 'C:\\temp'],
    ['\\\\{x\\}', '\\{x}'],
    ['{Name}\\{{Name}\\}', 'Ama {x}{Ama {x}}'],
    ['{First name}!', 'Ama!'],
    ['{Zero}.', '0.'],
  ])('is %s for %s', async (Content, text) => {
    const { sms, gateway } = start()
    const row = {
      ...list(1)[0],
      To: '233200000000',
      Name: 'Ama {x}',
      'First name': 'Ama',
      Zero: 0,
    }
    await sms.sendToMany({ ...message, Content }, [row])
    expect(gateway.requests).toMatchObject([{ text }])
  })

  it.each(['{', 'a } b', '{}', '{{Name}}', '{Name', 'Name}', '{a{b}}', '\\{Name}'])(
    'rejects and sends nothing for a brace that is no field: %s',
    async (Content) => {
      const { sms, gateway } = start()
      const rows = [{ To: '233200000000', Name: 'Ama' }]
      await expect(sms.sendToMany({ ...message, Content }, rows)).rejects.toThrow(
        /^Content: expected a field such as \{Name\}, or a brace written as \\\{ or \\\}; got '[{}]' at index \d+\.$/,
      )
      expect(gateway.requests).toEqual([])
    },
  )

  it('goes on after one that the gateway refuses', async () => {
    const { sms, gateway } = start()
    const errors = [
      { pointer: '/Content', code: 'content_too_long', detail: 'Expected at most 10 segments.' },
    ]
    gateway.faults = [undefined, { status: 422, code: 'content_too_long', errors }]
    const text = { ...message, Content: '{Reference}' }
    const report = await sms.sendToMany(text, list(5))
    expect(report).toMatchObject({ accepted: 4, refused: 1, error: undefined })
    expect(gateway.out).toHaveLength(4)
  })

  it('keeps what was accepted of a part when the wallet runs empty, also for days', async () => {
    const { sms, gateway, clock } = start()
    const text = { ...message, Content: '{Reference}' }
    gateway.faults = [undefined, undefined, { status: 402, code: 'insufficient_funds' }]
    const { checkpoint, ...first } = await sms.sendToMany(text, list(5))
    expect(first).toMatchObject({ accepted: 2, refused: 1, uncertain: 0, error: { status: 402 } })
    clock.time += 48 * 3_600_000
    gateway.forget()
    const again = await sms.sendToMany(text, list(5), { resume: stored(checkpoint) })
    expect(again).toMatchObject({ accepted: 3, skipped: 2, uncertain: 0 })
    expect(gateway.out).toEqual(numbers(list(5)))
  })

  it('keeps each text to its own key when a recipient of another was refused before the crash', async () => {
    const { sms, gateway } = start()
    const rows = list(3).map((row, at) => ({ ...row, Name: ['Ama', 'Kofi', 'Ama'][at] }))
    gateway.invalid.add(rows[0]?.To ?? '')
    gateway.faults = [undefined, 'lost after', 'lost after', 'lost after']
    const text = { ...message, Content: 'Dear {Name}' }
    const first = await sms.sendToMany(text, rows)
    expect(first).toMatchObject({ refused: 1, uncertain: 1 })
    const again = await sms.sendToMany(text, rows, { resume: stored(first.checkpoint) })
    expect(again).toMatchObject({ skipped: 1, accepted: 2, error: undefined })
    expect(gateway.out.toSorted()).toEqual(numbers(rows.slice(1)))
  })

  it('sends nothing when a field has changed since the run that is resumed', async () => {
    const { sms, gateway } = start()
    gateway.faults = [undefined, undefined, 'lost after', 'lost after', 'lost after']
    const rows = people(12)
    const { checkpoint } = await sms.sendToMany(greeting, rows)
    const resume = stored(checkpoint)
    const { length } = gateway.requests
    const other = rows.map((row, at) => (at === 11 ? { ...row, Name: 'Yaa' } : row))
    await expect(sms.sendToMany(greeting, other, { resume })).rejects.toThrow('differs at index 0 to 11')
    expect(gateway.requests).toHaveLength(length)
    expect(await sms.sendToMany(greeting, rows, { resume })).toMatchObject({ uncertain: 0, error: undefined })
    expect(gateway.out.toSorted()).toEqual(numbers(rows))
  })

  it('charges nobody twice and forgets nobody, whatever goes wrong', async () => {
    const fault = fc.constantFrom<Fault>(
      undefined,
      'lost before',
      'lost after',
      { status: 500, code: 'internal_error' },
      { status: 402, code: 'insufficient_funds' },
      { status: 401, code: 'invalid_credentials' },
    )
    const run = fc.record({
      faults: fc.array(fault, { maxLength: 12 }),
      diesAt: fc.nat(12),
      mends: fc.boolean(),
    })
    const shape = fc.record({
      runs: fc.array(run, { maxLength: 6 }),
      bad: fc.uniqueArray(fc.nat(22), { maxLength: 6 }),
      partSize: fc.integer({ min: 1, max: 9 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(shape, async ({ runs, bad, partSize, concurrency }) => {
        const { sms, gateway } = start()
        const rows = people(23)
        for (const at of bad) gateway.invalid.add(rows[at]?.To ?? '')
        let resume: ManyCheckpoint = { version: 1, key: 'run', message: 0, partSize: 0, parts: [] }
        for (const { faults, diesAt, mends } of runs) {
          gateway.faults = [...faults]
          let told = 0
          const onProgress = ({ checkpoint }: ManyProgress) => {
            if (told++ >= diesAt) throw new Error('died')
            resume = stored(checkpoint)
          }
          const options = { concurrency, resume, onProgress, retries: 1 }
          const size = resume.parts.some(Boolean) ? {} : { partSize }
          await sms.sendToMany(greeting, rows, { ...options, ...size }).catch(() => {})
          // From now on the gateway takes a number that it refused.
          if (mends) gateway.invalid.delete([...gateway.invalid][0] ?? '')
        }
        gateway.faults = []
        const last = await sms.sendToMany(greeting, rows, { concurrency, resume })
        expect(last).toMatchObject({ error: undefined, uncertain: 0 })
        expect(new Set(gateway.out).size).toBe(gateway.out.length)
        const never = rows.filter(({ To }) => !gateway.out.includes(To))
        const refused = bad.map((at) => rows[at])
        expect(refused).toEqual(expect.arrayContaining(never))
        const texts = new Map(people(23).map((row) => [row.To, textOf(row)]))
        for (const { text, recipients } of gateway.requests)
          for (const To of recipients) expect(text).toBe(texts.get(To))
      }),
      { numRuns: 30 },
    )
  })
})
