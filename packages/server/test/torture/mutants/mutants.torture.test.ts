import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { SURVIVORS } from './survivors.ts'

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url))
const CONFIG = 'packages/server/test/torture/mutants/stryker.config.mjs'
/** What is mutated in the short form: the smallest file that is about money. */
const SAMPLE = 'packages/server/src/domain/money/ledger.ts'
const TIME = atLength({ short: 120_000, full: 3_600_000 })

interface Mutant {
  status: string
  replacement: string
  location: { start: { line: number } }
}
interface MutatedFile {
  source: string
  mutants: readonly Mutant[]
}

/** Mutants that a run counts. One that doesn't compile, or was left out on purpose, is none. */
const FOUND = ['Killed', 'Timeout']
const MISSED = ['Survived', 'NoCoverage']

describe('mutants of the rules', () => {
  it('are found by the tests of the rules', { timeout: TIME }, async () => {
    const files = await mutate(atLength({ short: ['--mutate', SAMPLE], full: [] }))
    const unexplained: string[] = []
    for (const [path, { source, mutants }] of Object.entries(files)) {
      const lines = source.split('\n')
      const file = basename(path)
      const missed = mutants.filter(({ status }) => MISSED.includes(status))
      const found = mutants.filter(({ status }) => FOUND.includes(status)).length
      for (const { replacement, location } of missed) {
        const line = lines[location.start.line - 1]?.trim() ?? ''
        if (!isExplained({ file, line, replacement }))
          unexplained.push(`${path}:${location.start.line} ${line} → ${replacement}`)
      }
      checkFigures(file, {
        mutants: found + missed.length,
        'per cent found': [Math.floor((100 * found) / (found + missed.length)), { atLeast: 90 }],
      })
    }
    expect(unexplained).toEqual([])
    checkFigures('all files', { 'not found and not explained': [unexplained.length, { is: 0 }] })
  })
})

function isExplained(missed: { file: string; line: string; replacement: string }): boolean {
  return SURVIVORS.some(
    ({ file, line, replacement }) =>
      file === missed.file && line === missed.line && replacement === missed.replacement,
  )
}

async function mutate(args: readonly string[]): Promise<Record<string, MutatedFile>> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-mutants-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const report = join(folder, 'report.json')
  const stryker = join(ROOT, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const { PATH = '', HOME = '' } = process.env
  await promisify(execFile)(process.execPath, [stryker, 'run', CONFIG, ...args], {
    cwd: ROOT,
    env: { PATH, HOME, WIGWAG_MUTANTS_REPORT: report },
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(await readFile(report, 'utf8')).files
}
