import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { Metrics } from '../../src/kernel/process/metrics.ts'
import { watchThreads } from '../../src/kernel/process/thread-metrics.ts'
import { eventually } from '../support/eventually.ts'
import { passUntil } from '../support/hand-clock.ts'
import { turns } from '../support/turns.ts'
import { MOST_COMPUTED_MICROS, openWorker, sideThread } from './side-threads.ts'

const causes = (faults: readonly Error[]) =>
  faults.map(({ message, cause }) => (cause instanceof Error ? cause.message : message))

describe('a call to a thread', () => {
  it('is answered, with others of the same turn', async () => {
    const { thread, up } = sideThread()
    await up()
    const calls = [thread.call('one thing'), thread.call('another')]
    expect(await Promise.all(calls)).toEqual([
      { kind: 'answered', answer: 'did one thing' },
      { kind: 'answered', answer: 'did another' },
    ])
  })

  it('is kept while the thread is not up', async () => {
    const { thread, up } = sideThread()
    expect(await thread.call('one thing')).toEqual({ kind: 'kept' })
    thread.start()
    expect(await thread.call('one thing')).toEqual({ kind: 'kept' })
    await up()
  })

  it('is lost where the thread had it when it ended, and kept where it had not left', async () => {
    const { thread, up, workers, events } = sideThread()
    await up()
    const had = [thread.call('keep'), thread.call('keep')]
    await turns()
    const ended = new Promise<void>((resolve) => workers[0]?.prependListener('exit', () => resolve()))
    let left = thread.call('one thing')
    workers[0]?.prependListener('exit', () => {
      left = thread.call('one thing')
    })
    await workers[0]?.terminate()
    await ended
    expect(await Promise.all(had)).toEqual([{ kind: 'lost' }, { kind: 'lost' }])
    expect(await left).toEqual({ kind: 'kept' })
    expect(events).toEqual(['up', 'end'])
  })

  it('at which the thread fails is lost, and the thread goes on', async () => {
    const { thread, up, faults } = sideThread()
    await up()
    expect(await thread.call('fail')).toEqual({ kind: 'lost' })
    expect(faults).toMatchObject([{ message: 'failed at it', stack: expect.stringContaining('side.thread') }])
    expect(await thread.call('one thing')).toMatchObject({ kind: 'answered' })
  })

  it('that comes while it closes is kept, and those before it are answered', async () => {
    const { thread, up, clock } = sideThread()
    await up()
    const before = thread.call('one thing')
    const closed = thread.close()
    const after = [thread.call('one thing'), thread.whenUp(1_000)]
    expect(await Promise.all(after)).toEqual([{ kind: 'kept' }, false])
    expect(await before).toMatchObject({ kind: 'answered' })
    await passUntil(clock, closed)
    expect(await thread.call('one thing')).toEqual({ kind: 'kept' })
    thread.start()
    expect(thread.isUp).toBe(false)
  })

  it('sees the time of the first thread', async () => {
    const { thread, up, clock } = sideThread()
    await up()
    const called = await thread.call('time')
    const seen = called.kind === 'answered' ? Number(called.answer) : 0
    // By the real time that passes between the threads, however slow the machine.
    expect(seen - clock.now()).toBeGreaterThanOrEqual(0)
    expect(seen - clock.now()).toBeLessThan(600_000)
  })
})

describe('a thread that ends', () => {
  it('is started again, after pauses that grow', async () => {
    const { thread, up, again, faults, events } = sideThread()
    await up()
    for (const ask of ['end', 'throw'] as const) {
      const ends = thread.ends
      void thread.call(ask)
      await eventually('its end', () => thread.ends > ends)
      await again()
    }
    expect(causes(faults)).toEqual(['it ended with code 3', 'thrown where nobody catches it'])
    expect(faults.map(({ message }) => /in (\d+) ms/.exec(message)?.[1])).toEqual(['100', '200'])
    expect(events).toEqual(['up', 'end', 'started again', 'up', 'end', 'started again', 'up'])
  })

  it('is tried again where it cannot even be opened', async () => {
    let tries = 0
    const { thread, up, again, faults } = sideThread(() => {
      if (++tries > 2) return openWorker()
      // Thrown by the constructor.
      return new Worker(new URL('http://not.a.file/'))
    })
    thread.start()
    expect(thread.isUp).toBe(false)
    await again()
    expect(tries).toBe(3)
    expect(faults).toHaveLength(2)
    await up()
  })

  it('is tried again where its file is missing', async () => {
    let tries = 0
    const { thread, again, faults } = sideThread(() =>
      ++tries > 1 ? openWorker() : new Worker(new URL('./no-such.thread.ts', import.meta.url)),
    )
    const waited = thread.whenUp(600_000)
    await eventually('its end', () => thread.ends === 1)
    await again()
    expect(await waited).toBe(true)
    expect(causes(faults)[0]).toContain('no-such.thread.ts')
  })

  it('is not one in which a promise was rejected that nobody waits for', async () => {
    const { thread, up, faults } = sideThread()
    await up()
    expect(await thread.call('reject')).toMatchObject({ kind: 'answered' })
    await eventually('the fault', () => faults.length === 1)
    expect(faults).toMatchObject([{ name: 'TypeError', message: 'rejected where nobody waits' }])
    expect(await thread.call('one thing')).toMatchObject({ kind: 'answered' })
    expect(thread.ends).toBe(0)
  })
})

describe('a thread that is stuck', () => {
  it('is ended soon where it computes without an answer', async () => {
    const { thread, up, beat, workers, faults } = sideThread()
    await up()
    const hung = thread.call('spin')
    // It is asked for a sign of life, and later looked at.
    beat()
    const computed = async () => (await workers[0]?.cpuUsage())?.user ?? 0
    const before = await computed()
    await eventually('it has computed', async () => (await computed()) - before > 2 * MOST_COMPUTED_MICROS)
    beat()
    await eventually('its end', () => thread.ends === 1)
    expect(await hung).toEqual({ kind: 'lost' })
    expect(causes(faults)).toEqual([expect.stringMatching(/^it has computed for \d+ ms without an answer$/)])
  })

  it('is ended after twenty beats without an answer, though it computes nothing', async () => {
    const { thread, up, beat, faults } = sideThread()
    await up()
    const hung = thread.call('hang')
    let beats = 0
    await eventually('its end', () => {
      if (thread.isUp) beats++
      beat()
      return thread.ends === 1
    })
    expect(await hung).toEqual({ kind: 'lost' })
    expect(causes(faults)).toEqual(['it has not answered for 20 beats'])
    expect(beats).toBeGreaterThanOrEqual(20)
  })

  it('is not one that answers, however often it is looked at', async () => {
    const { thread, up, beat } = sideThread()
    await up()
    for (let count = 0; count < 100; count++) {
      beat()
      await thread.call('one thing')
    }
    expect(thread.ends).toBe(0)
  })

  it('is not one whose answers the first thread had no turn to read, such as while the process was stopped', async () => {
    const { thread, up, beat } = sideThread()
    await up()
    for (let count = 0; count < 100; count++) beat()
    await turns()
    expect(await thread.call('one thing')).toMatchObject({ kind: 'answered' })
    expect(thread.ends).toBe(0)
  })
})

describe('the metrics of threads', () => {
  const shown = async (metrics: Metrics) =>
    (await metrics.render()).text.split('\n').filter((line) => line.startsWith('wigwag_thread'))

  it('are shown at once while a thread starts, without its processor time', async () => {
    const { thread, clock, up } = sideThread()
    const metrics = new Metrics({ clock, onUnread: (error) => expect.unreachable(String(error)) })
    watchThreads(metrics, [thread])
    thread.start()
    expect(await shown(metrics)).toEqual([
      expect.stringMatching(/^wigwag_thread_processor_seconds_total\{thread="first"\} \d/),
      'wigwag_thread_ends_total{thread="beside"} 0',
    ])
    await up()
    await eventually('its processor time', async () => (await shown(metrics)).length === 3)
  })

  it('never fall when a thread is started again', async () => {
    const { thread, up, again } = sideThread()
    await up()
    await eventually('its processor time', () => thread.processorSeconds)
    const before = thread.processorSeconds ?? 0
    void thread.call('end')
    await eventually('its end', () => thread.ends === 1)
    expect(thread.processorSeconds).toBeGreaterThanOrEqual(before)
    await again()
    expect(thread.processorSeconds).toBeGreaterThanOrEqual(before)
  })
})
