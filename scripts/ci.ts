/**
 * The whole check of a change, as .ci/run calls it: the gate, the tests, the rest of the tests, short
 * tortures. Failed tests run again alone after everything else, so that the end of the output says which kind
 * of fault each is.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAgain } from './ci/again.ts'
import { readResults } from './ci/results.ts'
import { runStep, type Step } from './ci/step.ts'

/** One seed for all runs, so that a failed test makes the same choices when it runs again. */
const seed = process.env.TORTURE_SEED ?? String(randomInt(2 ** 31))
const folder = mkdtempSync(join(tmpdir(), 'wigwag-ci-'))
try {
  process.exitCode = await check()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function check(): Promise<number> {
  // The gate computes while the runtimes download. The tests come after both: other people's test runners give a test five
  // seconds, which is little beside full processors.
  const [runtimes, gate] = await Promise.all([
    runStep('runtimes', ['npm', 'run', 'lab', '--', 'runtimes'], { quiet: true }),
    runStep('check', ['npm', 'run', 'check']),
  ])
  const steps: Step[] = [gate, runtimes]
  const tested: { step: Step; results: string }[] = []
  for (const [name, script, ...flags] of [
    ['tests', 'test'],
    ['all', 'test:all'],
    ['torture', 'torture', '--short'],
  ] as const) {
    const results = join(folder, `${name}.json`)
    const wanted =
      name === 'torture'
        ? ['--json', results]
        : ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
    const step = await runStep(name, ['npm', 'run', script, '--', ...flags, ...wanted], {
      env: { TORTURE_SEED: seed },
    })
    steps.push(step)
    tested.push({ step, results })
  }

  // Said last, where a reader of a long output looks.
  const failed = steps.filter((step) => !step.passed)
  for (const { name, end } of failed) console.log(`\nstep failed: ${name}\n${end(40)}`)
  const all = tested.map(({ step, results }) => ({ step, ...readResults(results) }))
  const reds = all.flatMap(({ step, reds }) => reds.map((red) => ({ ...red, step })))
  for (const verdict of await runAgain(reds, seed)) console.log(verdict)
  for (const { name, wallMs, processorMs } of steps)
    console.log(
      `${name.padEnd(10)} ${(wallMs / 1000).toFixed(0).padStart(5)} s, ${(processorMs / 1000).toFixed(0)} s of the processor`,
    )
  const passed = all.reduce((sum, each) => sum + each.passed, 0)
  console.log(`${passed} passed, ${reds.length} failed`)
  return failed.length > 0 ? 1 : 0
}
