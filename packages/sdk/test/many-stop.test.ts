import { describe, expect, it } from 'vitest'
import type { ManyProgress } from '../src/index.ts'
import { list, message, numbers, start, stored } from './bulk-gateway.ts'

const concurrency = 4
const text = { ...message, Content: 'Dear {Name}' }
/** The first part is one request, the others are a hundred each. */
const rows = list(600).map((row, at) => ({ ...row, Name: at < 100 ? 'all' : `${at}` }))

type Stop = 'stop aborts' | 'signal aborts' | 'onProgress rejects once' | 'a request fails'

/** A run that is stopped once twenty requests were begun, or the first part is over. */
async function stopped(how: Stop) {
  const [stop, cut] = [new AbortController(), new AbortController()]
  const enough = new Error('enough')
  let begun = 0
  let begunBefore: number | undefined
  const started = start({
    fetch(url, init) {
      begun++
      if (begun === 20 && how !== 'onProgress rejects once') {
        begunBefore = begun
        if (how === 'stop aborts') stop.abort(enough)
        else if (how === 'signal aborts') cut.abort(enough)
        else return Promise.resolve(Response.json({ code: 'insufficient_funds' }, { status: 402 }))
      }
      return started.gateway.fetch(url, init)
    },
  })
  const onProgress = async ({ accepted }: ManyProgress) => {
    if (how !== 'onProgress rejects once' || accepted < 100 || begunBefore !== undefined) return
    begunBefore = begun
    throw enough
  }
  const options = { concurrency, stop: stop.signal, signal: cut.signal, onProgress }
  const report = await started.sms.sendToMany(text, rows, options)
  if (begunBefore === undefined) throw new Error('the run was not stopped')
  return { ...started, report, enough, begunAfter: begun - begunBefore }
}

describe('a run that is stopped', () => {
  it.each<Stop>(['stop aborts', 'signal aborts', 'onProgress rejects once', 'a request fails'])(
    'begins no other request once %s, and one that goes on with it leaves nobody out',
    async (how) => {
      const { sms, gateway, report, enough, begunAfter } = await stopped(how)
      expect(begunAfter).toBeLessThan(concurrency)
      expect(report.error).toEqual(
        how === 'a request fails' ? expect.objectContaining({ status: 402 }) : enough,
      )
      const again = await sms.sendToMany(text, rows, { resume: stored(report.checkpoint) })
      expect(again).toMatchObject({ uncertain: 0, error: undefined })
      expect(gateway.out.toSorted()).toEqual(numbers(rows))
    },
  )

  it.each<Stop>(['stop aborts', 'onProgress rejects once', 'a request fails'])(
    'has nothing under way once %s, and can be gone on with days later',
    async (how) => {
      const { sms, gateway, clock, report } = await stopped(how)
      clock.time += 48 * 3_600_000
      gateway.forget()
      const again = await sms.sendToMany(text, rows, { resume: stored(report.checkpoint) })
      expect(again).toMatchObject({ uncertain: 0, error: undefined })
      expect(gateway.out.toSorted()).toEqual(numbers(rows))
    },
  )

  it('rejects and sends nothing when it is stopped before it begins', async () => {
    const { sms, gateway } = start()
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(sms.sendToMany(text, rows, { stop })).rejects.toThrow('enough')
    expect(gateway.requests).toEqual([])
  })
})
