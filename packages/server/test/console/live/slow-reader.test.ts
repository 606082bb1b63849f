import { describe, expect, it } from 'vitest'
import { openStream, type Stream } from '../../../src/console/live/stream.ts'

const BURST = 'x'.repeat(200_000)

function open() {
  const said: string[] = []
  const stream = openStream({ onOver: () => said.push('over'), cut: () => said.push('cut') })
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
