import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'
import { whenNpmIsGone } from '@wigwag/contract'
import type { Clock } from '../kernel/process/clock.ts'
import type { VerifyPassword } from '../sign-in/portal/index.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The process that a command runs in: Node's own, or a substitute. */
export interface CommandProcess {
  readonly stdin: Readable & { isTTY?: boolean }
  readonly stdout: Writable & { isTTY?: boolean; columns?: number }
  readonly stderr: Writable & { isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ppid: number
  on(signal: Signal, listener: () => void): unknown
  once(signal: Signal, listener: () => void): unknown
  off(signal: Signal, listener: () => void): unknown
  exit(code: number): void
  /** Replaces how passwords are hashed, by commands and by the gateway. Node's own process has none. */
  readonly hashPassword?: ((password: string) => string) | undefined
  /** Replaces how passwords are compared with what is stored. Node's own process has none. */
  readonly checkPassword?: VerifyPassword | undefined
  /** Replaces the machine’s time, and the database’s. Node's own process has none. */
  readonly clock?: Clock | undefined
}

const storage = new AsyncLocalStorage<CommandProcess>()

/** The process of the command that is running. */
export function commandProcess(): CommandProcess {
  return storage.getStore() ?? process
}

/** Runs `work`, and everything that it starts, in the given process. */
export function runIn<T>(running: CommandProcess, work: () => T): T {
  return storage.run(running, work)
}

/**
 * Resolves at the first SIGINT or SIGTERM, or when npm is gone. A second SIGINT kills the process at once, and before it
 * whatever `killMore` kills; a second SIGTERM changes nothing, because one may come from the process group and one from
 * the parent.
 */
export function stopSignal(killMore = () => {}): Promise<void> {
  const running = commandProcess()
  return new Promise((resolve) => {
    let isAsked = false
    const ask = () => {
      isAsked = true
      resolve()
    }
    running.on('SIGINT', () => {
      if (!isAsked) return ask()
      killMore()
      running.exit(1)
    })
    running.on('SIGTERM', ask)
    whenNpmIsGone(running, ask)
  })
}
