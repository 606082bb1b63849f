import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 120_000

/** A command in bash, with whatever it starts itself. */
export class Running {
  readonly #child: ChildProcess
  #said = ''

  constructor(command: string, cwd: string, env: Record<string, string | undefined>, input = '') {
    this.#child = spawn('bash', ['-euo', 'pipefail', '-c', command], { cwd, env, detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => (this.#said += chunk))
    // A command that reads nothing may have ended before it was written.
    this.#child.stdin?.on('error', () => {})
    this.#child.stdin?.end(input)
  }

  get said(): string {
    return this.#said
  }

  async ended(): Promise<string> {
    const [code] = await once(this.#child, 'close')
    if (code === 0) return this.#said
    throw new Error(`It ended with ${code}: ${this.#said}`)
  }

  async says(text: string): Promise<void> {
    await this.#until(`"${text}" is said`, async () => this.#said.includes(text))
  }

  async listens(address: string): Promise<void> {
    const asks = () =>
      fetch(address, { method: 'POST', body: '{}' }).then(
        () => true,
        () => false,
      )
    await this.#until('it listens', asks)
  }

  /** Ends all of it without a word. */
  end(): void {
    if (this.#child.pid !== undefined && this.#child.exitCode === null)
      process.kill(-this.#child.pid, 'SIGKILL')
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE_MS
    while (!(await holds())) {
      if (this.#child.exitCode !== null || performance.now() > end)
        throw new Error(`Expected that ${what}; it said: ${this.#said}`)
      await sleep(100)
    }
  }
}
