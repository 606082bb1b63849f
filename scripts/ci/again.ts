import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Red } from './results.ts'
import { runStep, type Step } from './step.ts'

const TIMES = 3
/** More than these are one fault, not many. */
const MOST = 12
const LINES_AROUND = 20

const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')

/**
 * Runs each test that was red alone, three times, with the seed that it had. Red each time is a fault; red once and green
 * alone is a test that lies, or a race: still red, still a fault, but the reader knows which to look for.
 */
export async function runAgain(reds: readonly (Red & { step: Step })[]): Promise<void> {
  const verdicts: string[] = []
  for (const red of reds.slice(0, MOST)) {
    const seed = /WIGWAG_TORTURE_SEED=(\d+)/.exec(red.step.output)?.[1]
    let failures = 0
    for (let time = 0; time < TIMES; time++) if (!(await passesAlone(red, seed))) failures++
    verdicts.push(describe(red, failures, seed))
  }
  for (const verdict of verdicts) console.log(verdict)
  for (const { file, name } of reds.slice(MOST))
    console.log(`\nfailed: ${nameOf(file, name)}\n  not run again: there are more than ${MOST}`)
}

async function passesAlone(
  { file, name, step }: Red & { step: Step },
  seed: string | undefined,
): Promise<boolean> {
  if (!existsSync(file)) return false
  const env = seed === undefined ? process.env : { ...process.env, WIGWAG_TORTURE_SEED: seed }
  const one = name === undefined ? [] : ['-t', `^${name.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`]
  const { passed } = await runStep(`${step.name} again`, [process.execPath, vitest, 'run', file, ...one], {
    quiet: true,
    env,
  })
  return passed
}

function describe(
  { file, name, message, step }: Red & { step: Step },
  failures: number,
  seed: string | undefined,
): string {
  const kind =
    failures === TIMES
      ? `red ${TIMES} of ${TIMES} alone: a fault`
      : failures === 0
        ? 'red once, green alone: a test that lies, or a race'
        : `red ${failures} of ${TIMES} alone: a race`
  const load = (step.processorMs / step.wallMs).toFixed(2)
  return [
    `\nfailed: ${nameOf(file, name)}`,
    `  ${kind}; seed ${seed ?? 'none'}; ${load} processors were busy with its step`,
    ...message.split('\n').slice(0, LINES_AROUND),
    ...around(step.output, name ?? file),
  ].join('\n')
}

function nameOf(file: string, name: string | undefined): string {
  return `${file} › ${name ?? 'the file itself'}`
}

/** The lines of the step's output around the place that first names the test. */
function around(output: string, name: string): string[] {
  const lines = output.split('\n')
  const last = name.split(' > ').at(-1) ?? name
  const place = lines.findIndex((line) => line.includes(last))
  if (place < 0) return []
  return ['  around it:', ...lines.slice(Math.max(0, place - LINES_AROUND / 2), place + LINES_AROUND / 2)]
}
