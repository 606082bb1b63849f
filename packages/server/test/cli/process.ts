import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TWO_FULL_STOPS } from '../support/full-stops.ts'
import { type Ended, endWith, type RunOptions, withoutSettings } from './program.ts'

/** The built program, as it is installed. */
const wigwag = join(import.meta.dirname, '../../dist/main.js')

interface ProcessOptions extends Omit<RunOptions, 'input' | 'columns' | 'hashesInEarnest' | 'clock'> {
  /** Another program than `wigwag`. */
  program?: string
}

/** Runs one command line to its end, in a process. Nothing of this machine's settings reaches it. */
export async function runProcess(
  args: readonly string[],
  { input = '', ...options }: RunOptions & ProcessOptions,
): Promise<Ended> {
  const running = startProcess(args, options)
  running.child.stdin.end(input)
  const code = await running.ended
  const ended = { code, stdout: running.stdout(), stderr: running.stderr() }
  expect(ended.stdout + ended.stderr).not.toMatch(TWO_FULL_STOPS)
  return ended
}

export function startProcess(args: readonly string[], { cwd, env = {}, program = wigwag }: ProcessOptions) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...withoutSettings(process.env), ...env },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  endWith(cwd, child, ended)
  return { child, ended, stdout: () => out, stderr: () => err }
}
