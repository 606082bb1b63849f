import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Red, readResults } from './results.ts'
import { checkout, runStep, type Step } from './step.ts'
import { verdictOf } from './verdict.ts'

const TIMES = 3
/** More than these are one fault, not many. */
const MOST = 12
/** A run that hangs is not waited for again and again. */
const LONGEST_MS = 15 * 60_000

const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')

/** A test that was red in a step. */
export type RedInStep = Red & { step: Step }

/**
 * Runs each test that was red alone, three times, with the seed that it had, and says of each what it is. Red each time is
 * a fault; red once and green alone is a test that lies, or a race: still red, still a fault, but the reader knows which to
 * look for.
 */
export async function runAgain(
  reds: readonly RedInStep[],
  seed: string,
  folder: string = checkout,
): Promise<string[]> {
  const startedAt = performance.now()
  const verdicts: string[] = []
  for (const [index, red] of reds.entries()) {
    const alone: boolean[] = []
    while (index < MOST && alone.length < TIMES && performance.now() - startedAt < LONGEST_MS)
      alone.push(await passesAlone(red, seed, folder))
    verdicts.push(verdictOf(red, alone, seed))
  }
  return verdicts
}

/** Green is what passed: nothing is proved by a run in which the test was not found. */
async function passesAlone({ file, name, step }: RedInStep, seed: string, folder: string): Promise<boolean> {
  const place = mkdtempSync(join(tmpdir(), 'wigwag-again-'))
  const results = join(place, 'results.json')
  try {
    const { passed } = await runStep(
      `${step.name} again`,
      [
        process.execPath,
        vitest,
        'run',
        file,
        ...(name === undefined ? [] : ['-t', `^${name.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`]),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${results}`,
      ],
      { quiet: true, env: { TORTURE_SEED: seed }, folder },
    )
    return passed && readResults(results, folder).passed > 0
  } finally {
    rmSync(place, { recursive: true })
  }
}
