import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, expect } from 'vitest'
import { run } from '../../src/cli/program.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import { cheapCheck, cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { TWO_FULL_STOPS } from '../support/full-stops.ts'

/** A command in this process or a process of its own, which ends with its folder. */
interface Running {
  kill(signal: NodeJS.Signals): unknown
}

/** Where the worker was before any command. Others of its files take paths from here. */
const HOME = process.cwd()

const started: { child: Running; cwd: string; ended: Promise<unknown> }[] = []

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  env?: Record<string, string>
  input?: string
  /** How wide the terminal is that it prints to; it prints to none if undefined. */
  columns?: number
  /** Whether stderr is a terminal. */
  progress?: true
  /** Whether passwords are hashed as by the program that is installed. */
  hashesInEarnest?: true
  /** Whose time it is; the machine's if undefined. */
  clock?: Clock | undefined
}

/** Runs one command line to its end, in this process. Nothing of this machine's settings reaches it. */
export async function runProgram(args: readonly string[], options: RunOptions): Promise<Ended> {
  const running = startProgram(args, options)
  const code = await running.ended
  const ended = { code, stdout: running.stdout(), stderr: running.stderr() }
  expect(ended.stdout + ended.stderr).not.toMatch(TWO_FULL_STOPS)
  return ended
}

/** Starts one command line in this process, with streams, an environment and signals of its own. */
export function startProgram(
  args: readonly string[],
  { cwd, env = {}, input = '', columns, progress, hashesInEarnest, clock }: RunOptions,
) {
  const signals = new EventEmitter()
  const [out, err] = [textOf(), textOf()]
  let exited: (code: number) => void = () => undefined
  const exit = new Promise<number>((resolve) => {
    exited = resolve
  })
  // The files that a test runs in one process come one after the other, each with one folder.
  process.chdir(cwd)
  const done = run(['node', 'wigwag', ...args], {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: columns === undefined ? out.stream : Object.assign(out.stream, { isTTY: true, columns }),
    stderr: progress ? Object.assign(err.stream, { isTTY: true }) : err.stream,
    env: { ...withoutSettings(process.env), ...env },
    ppid: process.ppid,
    on: (signal, listener) => signals.on(signal, listener),
    once: (signal, listener) => signals.once(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
    exit: exited,
    hashPassword: hashesInEarnest ? undefined : cheapHash,
    checkPassword: hashesInEarnest ? undefined : cheapCheck,
    clock,
  })
  const child = {
    exitCode: null as number | null,
    kill: (signal: NodeJS.Signals) => signals.emit(signal),
  }
  const ended = Promise.race([done, exit]).then((code) => {
    child.exitCode = code
    return code
  })
  endWith(cwd, child, ended)
  return { child, ended, stdout: out.text, stderr: err.text }
}

function textOf() {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}

/**
 * An environment without what would change how a command works, or what it prints. A gateway is one process, however many
 * processors the machine has.
 */
export function withoutSettings(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const clean = Object.entries(env).filter(([name]) => !/^(WIGWAG_|FORCE_COLOR$)/.test(name))
  return { ...Object.fromEntries(clean), WIGWAG_LOG_LEVEL: 'error', WIGWAG_PROCESSES: '1', NO_COLOR: '1' }
}

/** An empty folder, gone with the programs that were started in it when the file's tests are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(FOR_DATABASES, 'wigwag-cli-'))
  afterAll(async () => {
    const inside = started.filter(({ cwd }) => cwd === folder)
    for (const { child } of inside) child.kill('SIGTERM')
    await Promise.all(inside.map(({ ended }) => ended))
    process.chdir(HOME)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Ends something with the folder in which it runs. */
export function endWith(cwd: string, child: Running, ended: Promise<unknown>): void {
  started.push({ child, cwd, ended })
}
