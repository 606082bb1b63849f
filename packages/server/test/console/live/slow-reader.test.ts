import { describe, expect, it } from 'vitest'
import { Backlogs, Stream } from '../../../src/web/live/stream.ts'

const BURST = 'x'.repeat(200_000)

function open(accountId = 'a', backlogs = new Backlogs()) {
  const said: string[] = []
  const stream = new Stream({
    onOver: () => said.push('over'),
    cut: () => said.push('cut'),
    backlog: (drop) => backlogs.join(accountId, drop),
  })
  return { stream, said }
}

async function read({ body }: Stream, bytes: number): Promise<void> {
  const reader = body.getReader()
  for (let got = 0; got < bytes; ) got += (await reader.read()).value?.byteLength ?? bytes
  reader.releaseLock()
}

describe('a page that does not read its stream', () => {
  it('is cut off when a few bursts wait for it, and gets nothing more', () => {
    const { stream, said } = open()
    for (let bursts = 0; bursts < 5; bursts++) stream.send(BURST)
    expect(said).toEqual([])
    for (let bursts = 0; bursts < 100; bursts++) stream.send(BURST)
    expect(said).toEqual(['over', 'cut'])
  })

  it('stays when it reads in the end', async () => {
    const { stream, said } = open()
    for (let rounds = 0; rounds < 20; rounds++) {
      for (let bursts = 0; bursts < 5; bursts++) stream.send(BURST)
      await read(stream, 5 * BURST.length)
    }
    expect(said).toEqual([])
  })
})

describe('all pages of an account', () => {
  it('have 8 MB waiting for them at most, and those with most are cut off', async () => {
    const backlogs = new Backlogs()
    const slow = Array.from({ length: 100 }, () => open('a', backlogs))
    const [reading, other] = [open('a', backlogs), open('b', backlogs)]
    other.stream.send(BURST)
    for (const { stream } of slow) {
      stream.send(BURST)
      reading.stream.send('a line')
      await read(reading.stream, 6)
    }
    const left = slow.filter(({ said }) => said.length === 0).length
    expect(left).toBe(Math.floor((8 * 1_024 * 1_024) / BURST.length))
    expect([reading.said, other.said]).toEqual([[], []])
    // Streams that are read or closed make place for others.
    for (const { stream, said } of slow) if (said.length === 0) await stream.body.cancel()
    const next = open('a', backlogs)
    next.stream.send(BURST)
    expect(next.said).toEqual([])
  })
})

describe('a stream', () => {
  it('is over once, by its end or by its reader', async () => {
    const { stream, said } = open()
    stream.send('last words')
    stream.end()
    stream.end()
    stream.send('more')
    expect(await new Response(stream.body).text()).toBe('last words')
    const other = open()
    await other.stream.body.cancel()
    other.stream.end()
    expect([said, other.said]).toEqual([['over'], ['over']])
  })
})
