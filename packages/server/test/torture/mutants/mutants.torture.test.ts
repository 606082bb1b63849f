import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { MUTATED } from './mutated.ts'
import { SURVIVORS } from './survivors.ts'

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url))
const CONFIG = 'packages/server/test/torture/mutants/stryker.config.mjs'
/** The file that the short form mutates: the smallest one about money. */
const SAMPLE = 'packages/server/src/kernel/money/ledger.ts'
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

/**
 * Statuses of mutants that a run counts. Mutants that don't compile, or were left out on purpose, don't
 * count.
 */
const FOUND = ['Killed', 'Timeout']
const MISSED = ['Survived', 'NoCoverage']

describe('mutants of the rules', () => {
  it('are made in files that are there', () => {
    expect(MUTATED.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(MUTATED).toContain(SAMPLE)
  })

  it('are found by the tests of the rules', { timeout: TIME }, async () => {
    const files = await mutate(atLength({ short: ['--mutate', SAMPLE], full: [] }))
    const unexplained: string[] = []
    const shares: [file: string, found: number, all: number][] = []
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
      shares.push([file, found, found + missed.length])
    }
    // All that were missed are named, also where a file has too many.
    expect(unexplained).toEqual([])
    for (const [file, found, all] of shares)
      checkFigures(file, {
        mutants: all,
        'per cent found': [Math.floor((100 * found) / all), { atLeast: 90 }],
      })
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
