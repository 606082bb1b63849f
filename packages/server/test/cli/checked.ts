import { eventually } from '../support/eventually.ts'
import { type RunOptions, startProgram } from './program.ts'

export interface CheckRun {
  args?: readonly string[]
  env?: RunOptions['env']
  /** Acts for the person, with the address at which to sign in. */
  person?(address: string): Promise<unknown>
}

/** Runs `wigwag connector check` to its end, without opening a browser of this machine. */
export async function runCheck(cwd: string, url: string, { args = [], env = {}, person }: CheckRun = {}) {
  const running = startProgram(['connector', 'check', url, '--no-browser', ...args], { cwd, env })
  if (person) {
    const address = await eventually('the address to open', () => {
      if (running.child.exitCode !== null) throw new Error(running.stdout() + running.stderr())
      return /^ {2}(http\S+)$/m.exec(running.stderr())?.[1]
    })
    await person(address)
  }
  const code = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

/** The lines of an output without its spaces, such as `ok balance 100.00 GHS`. */
export function linesOf(stdout: string): string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' '))
}
