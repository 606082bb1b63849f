import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { lockFile } from '../../support/lock.ts'
import { type Faults, openFaults } from '../faults/faults.ts'
import { makeFolder, openScene, type Scene } from '../scene.ts'

const ROUNDS = atLength({ short: 1, full: 12 })
const LASTS_MS = atLength({ short: 500, full: 7_000 })
/** A new message is final this soon after a fault is over, on a busy machine: the gateway may have to start first. */
const BACK_WITHIN_MS = 20_000

let scene: Scene
let faults: Faults

afterEach(async () => {
  faults.close()
  await scene.close()
})

async function openOnFaults(): Promise<void> {
  const folder = await makeFolder()
  faults = await openFaults(folder)
  scene = await openScene({ folder, env: faults.env })
}

interface Fault {
  what: string
  /** Whether the process ends by it, to begin again with what is on the disk. */
  isFatal: boolean
  /** Begins it, and returns how it ends. */
  begin(): Promise<() => unknown>
}

const ALL = '*/wigwag.db*'
const LOG = '*/wigwag.db-wal'

function failing(files: string, begin: () => void): () => Promise<() => void> {
  return async () => {
    faults.concern(files)
    begin()
    return faults.mend
  }
}

/** In the short form those that differ most. */
const FAULTS: readonly Fault[] = [
  { what: 'a full disk', isFatal: false, begin: failing(ALL, () => faults.failWrites('ENOSPC')) },
  {
    what: 'a lock held by another process',
    isFatal: false,
    begin: () => lockFile(`file:${join(scene.folder, 'wigwag.db')}`),
  },
  {
    what: 'a sync of the log that fails once',
    isFatal: true,
    begin: failing(LOG, () => faults.failSyncs('EIO', 1)),
  },
  ...atLength<Fault[]>({
    short: [],
    full: [
      {
        what: 'a read-only file system',
        isFatal: true,
        begin: failing(ALL, () => faults.failWrites('EROFS')),
      },
      { what: 'writes that fail', isFatal: true, begin: failing(ALL, () => faults.failWrites('EIO')) },
      { what: 'syncs that fail', isFatal: true, begin: failing(ALL, () => faults.failSyncs('EIO', -1)) },
    ],
  }),
]

/** The last line of a gateway that ends by itself, or that can't start. */
const CLEAR_END =
  /^wigwag: the (disk failed \(.*\); exiting, so that no message is accepted that is not stored\.|database cannot be (opened|written): SQLITE_\w+ .*)\n$/m

const lastLine = (said: string) => said.trim().split('\n').at(-1) ?? ''

describe('a disk that fails below a gateway with an SQLite file', () => {
  it('loses nothing of what was acknowledged, and the gateway works again by itself', {
    timeout: ROUNDS * FAULTS.length * (LASTS_MS + 30_000) + 900_000,
  }, async () => {
    await openOnFaults()
    const { supervised, answers } = scene
    const seen = FAULTS.map((fault) => ({
      ...fault,
      ends: [] as string[],
      unanswered: 0,
      refused: 0,
      longest: 0,
    }))
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of seen) {
        await pause(200)
        const before = { ends: supervised.ends.length, none: answers.none, refused: answers.refused }
        const end = await each.begin()
        await pause(LASTS_MS)
        await end()
        each.longest = Math.max(each.longest, await scene.msUntilFinal())
        const ended = supervised.ends[before.ends]
        if (ended) each.ends.push(lastLine(ended.said))
        each.unanswered += answers.none - before.none
        each.refused += answers.refused - before.refused
      }
    }
    for (const { what, isFatal, ends, unanswered, refused, longest } of seen) {
      checkFigures(what, {
        times: ROUNDS,
        'of them the process ended': [ends, { is: isFatal ? ROUNDS : 0 }],
        ...(isFatal ? {} : { 'requests without an answer': [unanswered, { is: 0 }] }),
        'requests refused with a clear 503': refused,
        'ms until a new message is final, at most': [Math.round(longest), { atMost: BACK_WITHIN_MS }],
      })
    }
    const unclear = supervised.ends.filter(({ code, said }) => code !== 1 || !CLEAR_END.test(said))
    const { acknowledged, outcome } = await scene.conclude()
    expect({ unclear, answers: answers.unclear }).toEqual({ unclear: [], answers: [] })
    checkFigures('a disk that fails', {
      'writes and syncs that failed': faults.counts().failed,
      'ends without one clear line': [unclear.length, { is: 0 }],
      'answers that are neither 200 nor a clear 503': [answers.unclear.length, { is: 0 }],
      'messages acknowledged': acknowledged,
      ...outcome,
    })
  })
})
