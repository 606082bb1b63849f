import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, it } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { BULK, call } from '../../support/front.ts'
import { openScene, type Scene } from '../scene.ts'
import type { Supervised } from '../supervised.ts'

/** The smallest is just more than it needs to start. */
const HEAPS_MB = atLength({ short: [48], full: [96, 48, 40] })
const LASTS_MS = atLength({ short: 2_000, full: 40_000 })
const GREEDY = atLength({ short: 20, full: 40 })

let scene: Scene | undefined

afterEach(() => scene?.close())

describe('a gateway with little memory', () => {
  it.each(HEAPS_MB)(
    'of %d MB loses nothing of what was acknowledged, and goes on by itself',
    {
      timeout: LASTS_MS + 900_000,
    },
    async (mb) => {
      scene = await openScene({ env: { NODE_OPTIONS: `--max-old-space-size=${mb}` } })
      const { answers, supervised, msUntilFinal, conclude } = scene
      const until = performance.now() + LASTS_MS
      const asked = await Promise.all(Array.from({ length: GREEDY }, () => askTooMuch(supervised, until)))
      const ms = await msUntilFinal()
      const otherEnds = supervised.ends.filter(
        ({ signal, said }) => signal !== 'SIGABRT' || !said.includes('heap out of memory'),
      )
      const { acknowledged, outcome } = await conclude()
      checkFigures(`a heap of ${mb} MB`, {
        'bodies of 2 MB': asked.reduce((sum, each) => sum + each, 0),
        'times the process ended for want of memory': supervised.ends.length - otherEnds.length,
        'times it ended otherwise': [otherEnds.length, { is: 0 }],
        'answers that are neither 200 nor a clear 503': [answers.unclear.length, { is: 0 }],
        'ms until a new message is final, afterwards': [Math.round(ms), { atMost: 20_000 }],
        'messages acknowledged': acknowledged,
        ...outcome,
      })
    },
  )
})

/** Bulks as large as they may be, which are refused for their last recipient. */
const Recipients = Array.from({ length: 9_999 }, (_, index) => ({
  To: `23324${1_000_000 + index}`,
  Content: 'x'.repeat(130),
}))
const body = { From: 'WIGWAG', Content: 'Hello', Recipients: [...Recipients, { To: 'nobody' }] }

async function askTooMuch({ urls, demo }: Supervised, until: number): Promise<number> {
  let asked = 0
  while (performance.now() < until) {
    const [url = ''] = urls()
    await call(url, demo, { path: BULK, body }).catch(() => pause(100))
    asked++
  }
  return asked
}
