import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const WITHIN_MS = 20_000

/** A program that runs beside this one. */
export interface Program {
  pid: number
  /** The lines printed so far, on stdout and stderr. */
  lines(): string[]
  /** Waits for a line that matches, among those after the first `from`. */
  line(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  kill(): Promise<void>
  /** Asks it to stop. */
  stop(): Promise<void>
}

export interface ProgramOptions {
  /** A hint for the error when the program cannot be started. */
  missing?: string
  env?: Record<string, string>
  cwd: string
  /** The user it runs as. Default: this one. */
  as?: Ids | undefined
}

export interface Ids {
  uid: number
  gid: number
}

export async function startProgram(
  command: string,
  args: readonly string[],
  { missing = '', env = {}, cwd, as }: ProgramOptions,
): Promise<Program> {
  const child = spawn(command, args, {
    cwd,
    ...as,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const killLast = () => child.kill('SIGKILL')
  process.once('exit', killLast)
  void ended.then(() => process.off('exit', killLast))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) =>
      reject(new Error(`${command} does not start. ${missing}`, { cause: error })),
    )
  })
  // The last line may be unfinished.
  const lines = () => said.split('\n').slice(0, -1)
  return {
    pid: child.pid ?? 0,
    lines,
    line: (pattern, from = 0) =>
      eventually(`${command} says ${pattern}`, async () => {
        for (const line of lines().slice(from)) {
          const found = pattern.exec(line)
          if (found) return found
        }
        if (child.exitCode !== null)
          throw new Error(`${command} ended with ${child.exitCode}: ${said}. ${missing}`)
        return undefined
      }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      await Promise.race([ended, pause(10_000, undefined, { ref: false }).then(killLast)])
      await ended
    },
  }
}

/** Asks again until there is an answer. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  withinMs = WITHIN_MS,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`not within ${withinMs / 1_000} s: ${what}`)
    await pause(50)
  }
}

/** Waits until something listens at a port of this machine. */
export async function listens(port: number): Promise<void> {
  await eventually(`something listens at ${port}`, async () => {
    const socket = connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').catch(() => undefined)
    socket.destroy()
    return connected
  })
}
