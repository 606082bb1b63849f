import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteDatabase } from '../../../src/store/sqlite/sqlite.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { type Faults, openFaults } from '../faults/faults.ts'
import { makeFolder } from '../scene.ts'

const PROGRAM = fileURLToPath(new URL('./writes.process.ts', import.meta.url))
const TIMES = atLength({ short: 1, full: 20 })

let folder: string
let faults: Faults

beforeEach(async () => {
  folder = await makeFolder()
  faults = await openFaults(folder)
})
afterEach(async () => {
  faults.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a file whose sync fails after a checkpoint, while commits go on in the log', () => {
  it('ends the process, and holds all that was committed', { timeout: TIMES * 300_000 }, async () => {
    const lost: number[] = []
    let ended = 0
    let committed = 0
    faults.concern('*/numbers-*.db')
    for (let time = 0; time < TIMES; time++) {
      const path = join(folder, `numbers-${time}.db`)
      const { code, said, last } = await writeUntilItEnds(path)
      faults.mend()
      if (code === 1 && /disk I\/O error/.test(said)) ended++
      const count = await countOf(path)
      committed += last
      // The last one may be stored and unsaid.
      if (count < last) lost.push(last - count)
    }
    checkFigures('a sync of the file that fails once after a checkpoint', {
      times: TIMES,
      'of them the process ended with a clear line': [ended, { is: TIMES }],
      'writes that the disk lost': [faults.counts().dropped, { atLeast: TIMES }],
      'commits acknowledged': [committed, { atLeast: TIMES * 1_000 }],
      'of them lost': [lost.reduce((sum, n) => sum + n, 0), { is: 0 }],
    })
  })
})

async function writeUntilItEnds(path: string): Promise<{ code: number | null; said: string; last: number }> {
  const child = spawn(process.execPath, [PROGRAM, path], { env: { ...process.env, ...faults.env } })
  const patience = setTimeout(() => child.kill('SIGKILL'), 120_000)
  let said = ''
  let numbers = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  // Making the file needs syncs that work.
  child.stdout.once('data', () => faults.failSyncs('EIO', 1))
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    numbers = (numbers + chunk).slice(-100)
  })
  await once(child, 'close')
  clearTimeout(patience)
  const whole = numbers.slice(0, numbers.lastIndexOf('\n')).split('\n').at(-1)
  return { code: child.exitCode, said, last: Number(whole) }
}

async function countOf(path: string): Promise<number> {
  const onFatal = (error: Error) => {
    throw error
  }
  const database = new SqliteDatabase({ path, onFatal })
  try {
    const rows = await database.read(({ run }) => run<{ n: number }>('SELECT count(*) AS n FROM numbers', []))
    const [check] = await database.read(({ run }) => run<object>('PRAGMA integrity_check', []))
    expect(check).toEqual({ integrity_check: 'ok' })
    return rows[0]?.n ?? 0
  } finally {
    await database.close()
  }
}
