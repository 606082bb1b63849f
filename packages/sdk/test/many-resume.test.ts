import { describe, expect, it } from 'vitest'
import type { ManyCheckpoint, ManyOptions, ManyProgress, ManyReport, Recipient } from '../src/index.ts'
import { list, message, numbers, start, stored } from './bulk-gateway.ts'

const extra = { To: '233209999999', Reference: 'extra' }
const partSize = 10

/** Runs until the process would have died: after a number of parts, with what it had stored by then. */
async function crashed(rows: Recipient[], parts: number, options: ManyOptions = {}) {
  const started = start()
  let resume: ManyCheckpoint | undefined
  const onProgress = ({ accepted, checkpoint }: ManyProgress) => {
    if (accepted > parts * partSize) throw new Error('died')
    resume = stored(checkpoint)
    if (accepted === parts * partSize) throw new Error('died')
  }
  await started.sms.sendToMany(message, rows, { partSize, concurrency: 1, onProgress, ...options })
  if (!resume) throw new Error('nothing was stored')
  return { ...started, resume, sent: started.gateway.out.length }
}

describe('a run that is resumed with another list', () => {
  it('sends nothing, and the right list then goes to everyone exactly once', async () => {
    const rows = list(50)
    const { sms, gateway, resume, sent } = await crashed(rows, 2)
    expect(sent).toBe(20)
    const wrong = sms.sendToMany(message, [extra, ...rows], { resume })
    await expect(wrong).rejects.toThrow(
      'resume: expected the list of the run to resume, cut in the same parts; this one differs at index 0 to 9.',
    )
    expect(gateway.out).toHaveLength(20)
    expect(await sms.sendToMany(message, rows, { resume })).toMatchObject({ skipped: 20, accepted: 30 })
    expect(gateway.out.toSorted()).toEqual(numbers(rows))
  })

  it.each([
    [
      'one row is new in the last part that had begun',
      [...list(25), extra, ...list(50).slice(25)],
      '20 to 29',
    ],
    ['a row is another one', list(50).with(11, extra), '10 to 19'],
    ['it ends too early', list(20), 'ends at index 20'],
    ['it is empty', [], 'ends at index 0'],
  ])('sends nothing when %s, even if parts before fit and were refused', async (_, rows, where) => {
    const { sms, gateway } = start()
    // The first part is refused, the second accepted, and it is not known whether the third is.
    const gone = ['lost after', 'lost after', 'lost after'] as const
    gateway.faults = [{ status: 402, code: 'insufficient_funds' }, undefined, ...gone]
    const first = await sms.sendToMany(message, list(50), { partSize, concurrency: 3 })
    expect(first).toMatchObject({ refused: 10, accepted: 10, uncertain: 10 })
    const { length } = gateway.requests
    const resume = stored(first.checkpoint)
    await expect(sms.sendToMany(message, rows, { resume })).rejects.toThrow(where)
    expect(gateway.requests).toHaveLength(length)
    expect(await sms.sendToMany(message, list(50), { resume })).toMatchObject({ error: undefined })
    expect(gateway.out.toSorted()).toEqual(numbers(list(50)))
  })

  it.each([
    [
      'message',
      { ...message, Content: 'Open at ten' },
      {},
      'resume: expected the message of the run to resume',
    ],
    ['size of parts', message, { partSize: 20 }, 'partSize: expected 10, as in the run to resume; got 20.'],
    ['key', message, { idempotencyKey: 'other' }, 'idempotencyKey: expected '],
  ])('says that it is another %s', async (_, text, options, why) => {
    const { sms, gateway, resume } = await crashed(list(30), 1)
    await expect(sms.sendToMany(text, list(30), { resume, ...options })).rejects.toThrow(why)
    expect(gateway.out).toHaveLength(10)
  })

  it('may change the message of a run of which nothing was sent', async () => {
    const { sms, gateway } = start()
    gateway.faults = [{ status: 402, code: 'insufficient_funds' }]
    let resume: ManyCheckpoint | undefined
    const onProgress = ({ checkpoint }: ManyProgress) => {
      resume = stored(checkpoint)
    }
    await expect(sms.sendToMany(message, list(5), { onProgress })).rejects.toThrow('402')
    const shorter = { ...message, Content: 'Open' }
    expect(await sms.sendToMany(shorter, list(4), { resume })).toMatchObject({ accepted: 4 })
  })

  it('tells of skipped recipients only once their part was compared', async () => {
    const { sms, resume } = await crashed(list(50), 2)
    const told: number[] = []
    const onProgress = ({ outcomes }: ManyProgress) => {
      for (const { index, status } of outcomes) if (status === 'skipped') told.push(index)
    }
    const rows = [...list(15), extra, ...list(50).slice(15)]
    await expect(sms.sendToMany(message, rows, { resume, onProgress })).rejects.toThrow('index 10 to 19')
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('reads no more than was begun and is needed to send on', async () => {
    const { sms, gateway, resume } = await crashed(list(50), 2)
    let read = 0
    let isClosed = false
    async function* rows() {
      try {
        for (const row of [extra, ...list(1000)]) {
          read++
          yield row
        }
      } finally {
        isClosed = true
      }
    }
    await expect(sms.sendToMany(message, rows(), { resume })).rejects.toThrow('index 0 to 9')
    expect([read <= 11, isClosed, gateway.out.length]).toEqual([true, true, 20])
  })
})

describe('a part that was refused in part before the crash', () => {
  it('is not sent again to the others when the gateway takes the refused number now', async () => {
    const { sms, gateway } = start()
    const rows = list(5)
    gateway.invalid.add(rows[2]?.To ?? '')
    // The gateway takes the four others, but the process dies before it knows.
    gateway.faults = [undefined, 'lost after', 'lost after', 'lost after']
    let resume: ManyCheckpoint | undefined
    const onProgress = ({ uncertain, checkpoint }: ManyProgress) => {
      if (!uncertain) resume = stored(checkpoint)
    }
    await sms.sendToMany(message, rows, { onProgress })
    gateway.invalid.clear()
    const report = await sms.sendToMany(message, rows, { resume })
    expect(report).toMatchObject({ accepted: 4, skipped: 1, error: undefined })
    expect(gateway.out.toSorted()).toEqual(numbers(rows).filter((_, at) => at !== 2))
  })
})

describe('the tickets of what an earlier run sent', () => {
  const ticketsOf = ({ outcomes }: ManyReport) =>
    outcomes.map((outcome) => (outcome.status === 'skipped' ? outcome.ticket : undefined))
  const ticketOf = ({ To }: Recipient) => `ticket-${To}`

  it('are with the skipped recipients of a resumed run', async () => {
    const rows = list(50)
    const { sms, resume } = await crashed(rows, 2)
    const report = await sms.sendToMany(message, rows, { resume })
    expect(report).toMatchObject({ skipped: 20, accepted: 30 })
    expect(ticketsOf(report)).toEqual(rows.map((row, at) => (at < 20 ? ticketOf(row) : undefined)))
    const again = await sms.sendToMany(message, rows, { resume: stored(report.checkpoint) })
    expect(ticketsOf(again)).toEqual(rows.map(ticketOf))
  })

  it('are with those of a part that was sent only in part, and not with a refused one', async () => {
    const { sms, gateway } = start()
    const rows = list(30).map((row, at) => ({ ...row, Name: `${at % 3}` }))
    gateway.invalid.add(rows[12]?.To ?? '')
    gateway.faults = Array(5).fill(undefined)
    gateway.faults.push({ status: 402, code: 'insufficient_funds' })
    const text = { ...message, Content: 'Dear {Name}' }
    const options = { partSize: 10, concurrency: 1 }
    const first = await sms.sendToMany(text, rows, options)
    expect(first).toMatchObject({ error: { status: 402 }, uncertain: 0 })
    const sent = new Set(gateway.out)
    expect(sent.size).toBeGreaterThan(10)
    const second = await sms.sendToMany(text, rows, { ...options, resume: stored(first.checkpoint) })
    expect(second).toMatchObject({ error: undefined, uncertain: 0 })
    expect(ticketsOf(second)).toEqual(rows.map((row) => (sent.has(row.To) ? ticketOf(row) : undefined)))
    const third = await sms.sendToMany(text, rows, { resume: stored(second.checkpoint) })
    expect(ticketsOf(third)).toEqual(rows.map((row, at) => (at === 12 ? undefined : ticketOf(row))))
  })

  it('are unknown where the checkpoint was written before it had them', async () => {
    const rows = list(50)
    const { sms, resume } = await crashed(rows, 2)
    const parts = resume.parts.map((part) => part && { ...part, tickets: undefined })
    const before = stored({ ...resume, parts: parts as ManyCheckpoint['parts'] })
    expect(JSON.stringify(before)).not.toContain('ticket')
    const report = await sms.sendToMany(message, rows, { resume: before })
    expect(report).toMatchObject({ skipped: 20, accepted: 30, error: undefined })
    expect(ticketsOf(report).filter(Boolean)).toEqual([])
    expect(report.outcomes[0]).toEqual({ index: 0, recipient: rows[0], status: 'skipped' })
  })

  it('take one character each besides their own, and none of a run that does not collect', async () => {
    const rows = list(2_000)
    const sizeOf = async (options: ManyOptions) => {
      const { checkpoint } = await start().sms.sendToMany(message, rows, { partSize: 200, ...options })
      return JSON.stringify(checkpoint).length
    }
    const without = await sizeOf({ collect: false })
    expect(without / 10).toBeLessThan(80)
    const own = 'ticket-233200000000'.length
    expect(((await sizeOf({})) - without) / rows.length).toBeLessThan(own + 1.1)
  })
})
