import { around, type Carrier } from '../../../src/delivery/carrier.ts'
import type { Outbound } from '../../../src/net/outbound/port.ts'
import type { Serving } from '../../../src/net/server/listen.ts'
import type { Database, Value } from '../../../src/store/database.ts'
import type { Step, Write } from './steps.ts'

/** Wraps the parts of a gateway so that it ends at one step. */
export interface FaultPoint {
  /** Passages count from now on. */
  arm(): void
  aroundDatabase(database: Database): Database
  aroundCarrier(carrier: Carrier): Carrier
  aroundReceivers(outbound: Outbound): Outbound
  aroundAnswers(fetch: Fetch): Fetch
}

type Fetch = Serving['app']['fetch']

/** Ends this process with SIGKILL at a step, when it is passed for this time, counted from 1. */
export function createFaultPoint({ at, when }: Step, passage: number): FaultPoint {
  let passed = 0
  let isArmed = false

  function passes(place: Step['at'], moment: Step['when']): void {
    if (!isArmed || place !== at || moment !== when) return
    passed++
    if (passed === passage) process.kill(process.pid, 'SIGKILL')
  }

  return {
    arm() {
      isArmed = true
    },

    aroundDatabase(database) {
      if (typeof at === 'string') return database
      return { ...database, write: watched(database, at, (moment) => passes(at, moment)) }
    },

    aroundCarrier: (carrier) =>
      around(carrier, {
        async submit(message) {
          passes('submission', 'before')
          const answer = carrier.submit(message)
          // The bytes leave the process meanwhile.
          await new Promise(setImmediate)
          passes('submission', 'during')
          const outcome = await answer
          passes('submission', 'after')
          return outcome
        },
        start: (events) =>
          carrier.start({
            ...events,
            async onReceipts(receipts) {
              passes('receipts', 'before')
              await events.onReceipts(receipts)
              passes('receipts', 'after')
            },
          }),
      }),

    aroundReceivers: (outbound) => async (request) => {
      passes('callback', 'before')
      const result = await outbound(request)
      passes('callback', 'after')
      return result
    },

    aroundAnswers:
      (fetch) =>
      async (request, ...rest) => {
        const answer = await fetch(request, ...rest)
        if (request.method === 'POST' && answer.status === 200) passes('answer', 'before')
        return answer
      },
  }
}

/** Tells when a write that has this statement is about to be committed, and when it is. */
function watched(
  database: Database,
  { statement, has = () => true, finds }: Write,
  passes: (when: 'before' | 'after') => void,
): Database['write'] {
  const isIt = (text: string, values: readonly Value[]) => statement.test(text) && has(values)
  return async function write(work, options) {
    let isSeen = false
    const result = await database.write(async (tx) => {
      isSeen = false
      const done = await work({
        ...tx,
        async run<Row extends object>(text: string, values: readonly Value[]) {
          const meant = isIt(text, values)
          // A statement without a transaction is committed with its end.
          if (meant && options?.single) passes('before')
          const rows = await tx.run<Row>(text, values)
          if (meant && (!finds || rows.length > 0)) isSeen = true
          return rows
        },
      })
      if (isSeen && !options?.single) passes('before')
      return done
    }, options)
    if (isSeen) passes('after')
    return result
  }
}
