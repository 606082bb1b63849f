import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { TWO_FULL_STOPS } from '../support/full-stops.ts'

/** The built program, as it is installed. */
const wigwag = process.env.WIGWAG_TEST_PROGRAM ?? join(import.meta.dirname, '../../dist/main.js')

const started: { child: ChildProcess; cwd: string; ended: Promise<unknown> }[] = []

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  /** Another program than `wigwag`. */
  program?: string
  env?: Record<string, string>
  input?: string
}

/** Runs one command line to its end. Nothing of this machine's settings reaches it. */
export async function runProgram(
  args: readonly string[],
  { input = '', ...options }: RunOptions,
): Promise<Ended> {
  const running = startProgram(args, options)
  running.child.stdin.end(input)
  const code = await running.ended
  const ended = { code, stdout: running.stdout(), stderr: running.stderr() }
  expect(ended.stdout + ended.stderr).not.toMatch(TWO_FULL_STOPS)
  return ended
}

export function startProgram(
  args: readonly string[],
  { cwd, env = {}, program = wigwag }: Omit<RunOptions, 'input'>,
) {
  const clean = Object.entries(process.env).filter(([name]) => !/^(WIGWAG_|FORCE_COLOR$)/.test(name))
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...Object.fromEntries(clean), WIGWAG_LOG_LEVEL: 'error', NO_COLOR: '1', ...env },
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
  started.push({ child, cwd, ended })
  return { child, ended, stdout: () => out, stderr: () => err }
}

/** Resolves with what `find` finds, as soon as it finds something. */
export async function eventually<T>(
  find: () => T | undefined | Promise<T | undefined>,
  withinMs = 20_000,
): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`nothing came within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** An empty folder, gone with the programs that were started in it when the file's tests are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(FOR_DATABASES, 'wigwag-cli-'))
  afterAll(async () => {
    const inside = started.filter(({ cwd }) => cwd === folder)
    for (const { child } of inside) child.kill('SIGTERM')
    await Promise.all(inside.map(({ ended }) => ended))
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
