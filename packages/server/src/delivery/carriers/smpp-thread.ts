import { Worker } from 'node:worker_threads'
import type { Clock, Pulse } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { SideThread, THREAD_LIMITS } from '../../kernel/process/side-thread.ts'
import type { Carrier } from '../carrier.ts'
import type { SmppSettings } from './settings.ts'
import { type SmppAnswer, type SmppAsk, type SmppLine, type SmppTold, ThreadedSmpp } from './threaded-smpp.ts'

/** Next to this file, both in the sources and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './smpp.thread.ts' : './smpp.thread.js',
  import.meta.url,
)

/** A thread beside the first one with the connections of carriers over SMPP. It starts with the first of them. */
export class SmppThread {
  readonly thread: SideThread<SmppAsk, SmppAnswer, SmppTold>
  /** The carriers that are started and not closed, by number. */
  readonly #carriers = new Map<number, ThreadedSmpp>()
  readonly #line: SmppLine
  #last = 0

  constructor(
    parts: {
      /** No move of a sandbox's clock shortens its timers. */
      clock: Clock
      log: Pick<Logger, 'warn'>
      onFault(error: unknown): void
      pulse?: Pulse | undefined
    },
    open = () => new Worker(THREAD, { name: 'carriers', resourceLimits: THREAD_LIMITS }),
  ) {
    const all = () => [...this.#carriers.values()]
    const thread = new SideThread<SmppAsk, SmppAnswer, SmppTold>(parts, {
      name: 'carriers',
      open,
      onUp() {
        for (const carrier of all()) carrier.open()
      },
      onEnd() {
        for (const carrier of all()) carrier.ended()
      },
      onTold: (told) => this.#carriers.get(told.carrier)?.hear(told),
    })
    this.thread = thread
    this.#line = {
      clock: parts.clock,
      get isUp() {
        return thread.isUp
      },
      call: (ask) => thread.call(ask),
      tell: (ask) => thread.tell(ask),
      join: (carrier) => {
        this.#carriers.set(carrier.number, carrier)
        thread.start()
      },
      leave: ({ number }) => this.#carriers.delete(number),
    }
  }

  carrier(settings: SmppSettings): Carrier {
    return new ThreadedSmpp(settings, ++this.#last, this.#line)
  }

  /** Close the carriers first: they tell their peers. */
  readonly close = (): Promise<void> => this.thread.close()
}
