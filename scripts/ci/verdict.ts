import { stripVTControlCharacters } from 'node:util'
import type { Red } from './results.ts'
import type { Step } from './step.ts'

const LINES_AROUND = 20

/** Tells the reader of a red test which kind of fault to look for, and where to begin. */
export function verdictOf(
  { file, name, message, step }: Red & { step: Pick<Step, 'output' | 'wallMs' | 'processorMs'> },
  alone: readonly boolean[],
  seed: string,
): string {
  const load = (step.processorMs / step.wallMs).toFixed(2)
  return [
    `\nfailed: ${file} › ${name ?? 'the file itself'}`,
    `  ${kindOf(alone)}; seed ${seed}; ${load} processors were busy with its step`,
    ...stripVTControlCharacters(message).split('\n').slice(0, LINES_AROUND),
    ...around(stripVTControlCharacters(step.output), file, name),
  ].join('\n')
}

/** By whether it passed, each time that it ran alone. */
function kindOf(alone: readonly boolean[]): string {
  const { length } = alone
  const reds = alone.filter((passed) => !passed).length
  if (length === 0) return 'not run again: too many were red, or took too long'
  if (reds === 0) return 'red once, green alone: a test that lies, or a race'
  return `red ${reds} of ${length} alone: ${reds === length ? 'a fault' : 'a race'}`
}

/** The lines of the step's output around the place where vitest tells of the failure. */
function around(output: string, file: string, name: string | undefined): string[] {
  const lines = output.split('\n')
  const label = name === undefined ? file : `${file} > ${name}`
  const naming = lines.flatMap((line, place) => (line.includes(label) ? [place] : []))
  const place = naming.find((at) => lines[at]?.includes('FAIL')) ?? naming[0]
  if (place === undefined) return []
  return ['  around it:', ...lines.slice(Math.max(0, place - LINES_AROUND / 2), place + LINES_AROUND / 2)]
}
