/** Keeps the connections of carriers over SMPP for the first thread. */
import { threadId } from 'node:worker_threads'
import { type FirstThread, serveFirstThread } from '../../kernel/process/first-thread.ts'
import { sent } from '../../kernel/process/thread-messages.ts'
import type { Receipt } from '../carrier.ts'
import { keepHidden } from './settings.ts'
import { SmppCarrier } from './smpp.ts'
import type { SmppAnswer, SmppAsk, SmppTold } from './threaded-smpp.ts'

interface Hosted {
  carrier: SmppCarrier
  /** How many submissions came. */
  seen: number
  /** Whether it has called for attention. */
  isChange: boolean
}

/** The first thread could not store receipts, and has reported why. */
class NotKept extends Error {}

class Carriers {
  readonly #first: FirstThread<SmppTold>
  readonly #hosted = new Map<number, Hosted>()
  /** Carriers of which something is to be told. */
  readonly #moved = new Set<number>()
  readonly #receipts = new Map<string, (areKept: boolean) => void>()
  #lastReceipts = 0

  constructor(first: FirstThread<SmppTold>) {
    this.#first = first
  }

  async answer(ask: SmppAsk): Promise<SmppAnswer> {
    if (ask.kind === 'open') this.#open(ask)
    else if (ask.kind === 'receipts') this.#receipts.get(ask.name)?.(ask.areKept)
    else return this.#ask(ask)
    return { kind: 'done' }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosted.values()].map(({ carrier }) => carrier.close(0)))
  }

  /** A carrier does not report messages from phones, nor receipts that cannot be read: their counts are told with each beat. */
  moveAll(): void {
    for (const number of this.#hosted.keys()) this.#move(number)
  }

  /** How the carriers stand, once in a batch. */
  tellOfMoved(): void {
    for (const number of this.#moved) {
      const hosted = this.#hosted.get(number)
      if (!hosted) continue
      const { carrier, seen, isChange } = hosted
      hosted.isChange = false
      const { enough } = carrier
      const standing = { state: carrier.state(), capacity: carrier.capacity(), enough, seen, isChange }
      this.#first.tell({ kind: 'stands', carrier: number, ...standing })
    }
    this.#moved.clear()
  }

  #open({ carrier: number, settings }: Extract<SmppAsk, { kind: 'open' }>): void {
    const { clock, tell, fault } = this.#first
    if (this.#hosted.has(number)) {
      fault(new Error(`the carrier ${settings.name} is open already`))
      return
    }
    // As it was read: printing it shows no password.
    keepHidden(settings, 'password')
    const carrier = new SmppCarrier(settings, { clock, random: Math.random })
    const hosted = { carrier, seen: 0, isChange: false }
    this.#hosted.set(number, hosted)
    carrier.start({
      onReceipts: (receipts) => this.#bring(number, receipts),
      onLateAnswer: (ticket, outcome) => tell({ kind: 'late', carrier: number, ticket, outcome }),
      onChange: () => {
        hosted.isChange = true
        this.#move(number)
      },
      onFault(error) {
        if (!(error instanceof NotKept)) tell({ kind: 'fault', carrier: number, fault: sent(error) })
      },
    })
  }

  async #ask(ask: Exclude<SmppAsk, { kind: 'open' | 'receipts' }>): Promise<SmppAnswer> {
    const { carrier: number } = ask
    const hosted = this.#hosted.get(number)
    if (!hosted) throw new Error(`expected the carrier ${number} to be open`)
    const { carrier } = hosted
    try {
      switch (ask.kind) {
        case 'submit':
          hosted.seen++
          this.#move(number)
          return { kind: 'outcome', outcome: await carrier.submit(ask.message) }
        case 'query':
          return { kind: 'receipt', receipt: await carrier.query?.(ask.part) }
        case 'close':
          await carrier.close(ask.withinMs)
          this.#hosted.delete(number)
          return { kind: 'done' }
      }
    } finally {
      this.#move(number)
    }
  }

  /** It leaves with what else is told in this turn of the event loop. */
  #move(number: number): void {
    this.#moved.add(number)
    this.#first.leaveSoon()
  }

  async #bring(number: number, receipts: readonly Receipt[]): Promise<void> {
    const name = `${threadId}.${++this.#lastReceipts}`
    const areKept = await new Promise<boolean>((resolve) => {
      this.#receipts.set(name, resolve)
      this.#first.tell({ kind: 'receipts', carrier: number, name, receipts })
    })
    this.#receipts.delete(name)
    if (!areKept) throw new NotKept()
  }
}

serveFirstThread<SmppAsk, SmppAnswer, SmppTold>((first) => {
  const carriers = new Carriers(first)
  return {
    answer: (ask) => carriers.answer(ask),
    close: () => carriers.close(),
    beat: () => carriers.moveAll(),
    beforeLeaving: () => carriers.tellOfMoved(),
  }
})
