import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import type { VerifyPassword } from '../portal/index.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** What a command uses of the process that it runs in: Node's own, or one that stands in for it. */
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
