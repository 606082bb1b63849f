import { parentPort } from 'node:worker_threads'
import { epochMs } from '../ids.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Down, type DownBatch, sent, type Up } from './thread-messages.ts'

/** The first thread, as a thread beside it sees it. */
export interface FirstThread<Told> {
  /** The machine's time, with the first thread's idea of which time it is. */
  readonly clock: Clock
  tell(told: Told): void
  /** Has `beforeLeaving` called in this turn of the event loop. */
  leaveSoon(): void
  fault(error: unknown): void
}

/** Does what the first thread asks. */
export interface Served<Ask, Answer> {
  /** The answer to what was only told is dropped. */
  answer(ask: Ask): Answer | Promise<Answer>
  /** Resolves when the calls under way are answered, which should be soon. */
  close(): Promise<void>
  /** Called about once a second, when a sign of life is asked for. */
  beat?(): void
  /** Called before what has gathered leaves. */
  beforeLeaving?(): void
}

/** Serves the first thread from a thread beside it: the other side of a `SideThread`. */
export function serveFirstThread<Ask, Answer, Told = never>(
  open: (first: FirstThread<Told>) => Served<Ask, Answer>,
): void {
  const port = parentPort
  if (!port) throw new Error('expected to run in a thread beside the first one')
  let leaving: Up<Answer, Told>[] = []
  let isLeaveDue = false
  let aheadMs = 0

  function leave(item: Up<Answer, Told>): void {
    leaving.push(item)
    leaveSoon()
  }

  function leaveSoon(): void {
    if (isLeaveDue) return
    isLeaveDue = true
    setImmediate(() => {
      served.beforeLeaving?.()
      const batch = leaving
      leaving = []
      isLeaveDue = false
      port?.postMessage(batch)
    })
  }

  const fault = (error: unknown) => leave({ kind: 'fault', fault: sent(error) })
  // It is one call that failed at something nobody waited for. Ending the thread would lose all the others.
  process.on('unhandledRejection', fault)

  const served = open({
    clock: { ...systemClock, now: () => epochMs(systemClock.now() + aheadMs) },
    tell: (told) => leave({ kind: 'told', told }),
    leaveSoon,
    fault,
  })

  async function take(item: Down<Ask>): Promise<void> {
    try {
      switch (item.kind) {
        case 'beat':
          served.beat?.()
          leave(beat())
          return
        case 'tell':
          await served.answer(item.ask)
          return
        case 'call':
          leave({ kind: 'answered', id: item.id, answer: await served.answer(item.ask) })
          return
        case 'close':
          await served.close()
          leave({ kind: 'failed', id: item.id })
      }
    } catch (error) {
      fault(error)
      if ('id' in item) leave({ kind: 'failed', id: item.id })
    }
  }

  port.on('message', ({ now, items }: DownBatch<Ask>) => {
    aheadMs = Math.round(now - systemClock.now())
    for (const item of items) void take(item)
  })
  leave({ kind: 'up' })
  leave(beat())
}

/** Where Node can't tell it by thread, which is before version 23.9, nothing is said. */
function beat(): { kind: 'beat'; processorMicros: number | undefined } {
  const used = process.threadCpuUsage?.()
  return { kind: 'beat', processorMicros: used && used.user + used.system }
}
