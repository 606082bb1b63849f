import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CommitUncertain, RowLocked, StoreUnavailable } from '../../../src/store/database.ts'
import { type Kind, type Probe, Silence } from '../../../src/store/postgres/liveness.ts'

const TICK_MS = 100

let silence: Silence
/** The probes that were begun. */
let probes: {
  pass: Parameters<Probe>[0]
  end(error?: Error): void
  givenUp: AbortSignal
}[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  probes = []
  silence = new Silence(
    (pass, givenUp) =>
      new Promise((resolve, reject) =>
        probes.push({ pass, givenUp, end: (error) => (error ? reject(error) : resolve()) }),
      ),
    4 * TICK_MS,
  )
  silence.watch()
})
afterEach(() => {
  silence.stop()
  vi.useRealTimers()
})

/** Lets time go by, and what follows from it happen. */
async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await vi.advanceTimersByTimeAsync(TICK_MS)
}
const never = () => new Promise<string>(() => {})
const both = () => (['read', 'write'] satisfies Kind[]).map((kind) => silence.isSilent(kind))
const broken = () => Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

describe('a server', () => {
  it('that answers nothing, nor a probe, is silent: begun reads and new work are refused, a begun write is not', async () => {
    const ends: string[] = []
    silence.write(never).finally(() => ends.push('write'))
    const reading = silence.read(never)
    reading.catch(() => ends.push('read'))
    silence.onSilence('write', () => ends.push('told'))
    await ticks(3)
    expect([probes.length, both()]).toEqual([1, [false, false]])
    await ticks(1)
    expect(both()).toEqual([true, true])
    await expect(reading).rejects.toThrow(StoreUnavailable)
    await expect(silence.read(never)).rejects.toThrow(StoreUnavailable)
    await expect(silence.write(never)).rejects.toThrow(StoreUnavailable)
    expect(ends.sort()).toEqual(['read', 'told'])
  })

  it('is not asked while it answers, however long some work takes, nor while nothing waits', async () => {
    await ticks(10)
    void silence.write(never)
    const answers = [async () => 'answered', () => Promise.reject(new RowLocked('an answer too'))]
    for (const answer of answers)
      for (let n = 0; n < 10; n++) {
        await silence.write(answer).catch(() => undefined)
        await ticks(1)
      }
    expect(probes).toEqual([])
  })

  it('is not silent while our own loop is busy, which reads one answer of it a turn', async () => {
    const roundTrips = async (count: number) => {
      for (let n = 0; n < count; n++) await new Promise<void>((resolve) => reads.push(resolve))
      return 'answered'
    }
    const reads: (() => void)[] = []
    async function turn() {
      vi.advanceTimersToNextTimer()
      for (const read of reads.splice(0)) read()
      await new Promise(setImmediate)
    }
    const seen = new Set<string>()
    let asked = 0
    for (let n = 0; n < 200; n++) {
      if (n % 25 === 0) void silence.write(() => roundTrips(24))
      for (const { pass, end } of probes.slice(asked))
        void roundTrips(9)
          .then(() => pass('read'))
          .then(() => roundTrips(1))
          .then(() => pass('write'))
          .then(() => end())
      asked = probes.length
      await turn()
      seen.add(String(both()))
    }
    expect([asked > 0, [...seen]]).toEqual([true, ['false,false']])
  })

  it('that answers a probe in time is busy, not silent', async () => {
    void silence.write(never)
    await ticks(3)
    probes[0]?.pass('read')
    probes[0]?.pass('write')
    probes[0]?.end()
    await ticks(1)
    expect(both()).toEqual([false, false])
  })

  it('whose commits wait is silent to writes alone', async () => {
    void silence.write(never)
    await ticks(2)
    probes[0]?.pass('read')
    await ticks(2)
    expect(both()).toEqual([false, true])
    expect(await silence.read(async () => 'read')).toBe('read')
  })

  it('is silent until a probe passes', async () => {
    void silence.write(never)
    await ticks(4)
    expect(both()).toEqual([true, true])
    probes[0]?.end(broken())
    await ticks(1)
    expect(probes.length).toBe(2)
    probes[1]?.pass('read')
    expect(both()).toEqual([false, true])
    probes[1]?.pass('write')
    expect(both()).toEqual([false, false])
  })

  it('is asked anew when a probe was cut off, and then at longer and longer intervals', async () => {
    silence.write(never)
    await ticks(40)
    expect([probes.length, probes[0]?.givenUp.aborted, both()]).toEqual([2, true, [true, true]])
    await ticks(80)
    expect([probes.length, probes[1]?.givenUp.aborted, probes[2]?.givenUp.aborted]).toEqual([3, true, false])
    probes[2]?.pass('read')
    probes[2]?.pass('write')
    expect(both()).toEqual([false, false])
  })

  it.each([
    ['an answer', async () => 'nothing to commit'],
    ['a refusal', () => Promise.reject(new RowLocked('locked'))],
  ])('that lets what waited end with %s is asked once more, and silent until that passes', async (_, end) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const writing = silence.write(() => promise.then(end)).catch(() => undefined)
    await ticks(2)
    probes[0]?.pass('read')
    await ticks(2)
    resolve()
    await writing
    await ticks(1)
    expect([probes.length, both()]).toEqual([2, [false, true]])
    // The first one, lost with its connection, says nothing of what the second one finds.
    probes[1]?.pass('read')
    probes[1]?.pass('write')
    probes[0]?.end(broken())
    void silence.write(never)
    await ticks(2)
    expect([probes.length, both()]).toEqual([2, [false, false]])
  })

  it('is asked once a tick at most, however much work ends in its silence', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const begun = Array.from({ length: 50 }, () => silence.write(() => promise))
    await ticks(4)
    resolve('nothing to commit')
    await Promise.all(begun)
    await ticks(1)
    expect([probes.length, both()]).toEqual([2, [true, true]])
  })

  it('that refuses the probe a connection for want of more is there; one that can’t be reached is not', async () => {
    void silence.write(never)
    await ticks(2)
    probes[0]?.end(Object.assign(new Error('too many connections'), { code: '53300' }))
    await ticks(2)
    expect(both()).toEqual([false, false])
    await ticks(1)
    probes[1]?.end(broken())
    await ticks(1)
    expect(both()).toEqual([true, true])
  })

  it.each([
    ['refusing connections', new StoreUnavailable('no connection')],
    ['losing one at a commit', new CommitUncertain('broken')],
  ])('does not become less silent by %s', async (_, error) => {
    void silence.write(never)
    const failing = silence.write(async () => {
      await ticks(4)
      throw error
    })
    await expect(failing).rejects.toBe(error)
    expect(both()).toEqual([true, true])
  })

  it.each([
    ['fails', () => probes[0]?.end(broken())],
    ['takes long', () => undefined],
  ])('that answered work since a probe began is not silent when the probe %s', async (_, goOn) => {
    void silence.read(never).catch(() => undefined)
    await ticks(2)
    expect(probes.length).toBe(1)
    await silence.write(async () => 'answered')
    goOn()
    await ticks(2)
    expect(both()).toEqual([true, false])
  })

  it('that answered work since a probe began, and nothing after, is silent while the probe hangs', async () => {
    void silence.write(never)
    await ticks(2)
    probes[0]?.pass('read')
    await silence.write(async () => 'answered')
    void silence.write(never)
    await ticks(2)
    expect(both()).toEqual([false, false])
    await ticks(1)
    expect([probes.length, both()]).toEqual([1, [false, true]])
    void silence.read(never).catch(() => undefined)
    await ticks(3)
    expect([probes.length, both()]).toEqual([1, [true, true]])
  })
})
