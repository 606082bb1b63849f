import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AccountSecrets } from '../../src/accounts/operator.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** A gateway in a process of its own, as it was built. */
export interface Server {
  url: string
  pid: number
  /** The demo account, as the banner tells it. */
  demo: AccountSecrets | undefined
  /** Its output on stderr. */
  said(): string
  /** Stops it where it is, as a machine that sleeps, until it is resumed. */
  suspend(): void
  resume(): void
  /** Ends one of its threads, where it was started with {@link THREAD_ENDS}. */
  endThread(): void
  /** Ends it at once, wherever it is. */
  kill(): Promise<void>
  /** Asks it to stop, and says how it ended and how long that took. */
  stop(): Promise<Ended & { ms: number }>
  /** Resolves when it has ended, by itself or not. */
  ended: Promise<Ended>
}

export interface Ended {
  code: number | null
  signal: string | null
}

export interface ServerOptions {
  /** Where it runs, so that nothing is read or left where the tests are. */
  folder: string
  env: Record<string, string>
  /** Node's arguments for another program than the built gateway. It prints the same banner. */
  program?: readonly string[]
  /** The arguments of the shell's `ulimit`, such as `-n 64`. */
  ulimit?: string
  /** Whether it has a process group of its own, as a terminal gives to each command. */
  detached?: boolean
}

/** Arguments of Node for a gateway whose threads can be ended. */
export const THREAD_ENDS = ['--import', new URL('./thread-ends.ts', import.meta.url).href] as const

/** The arguments of Node for a gateway that was built. */
export const serving = (main = MAIN): readonly string[] => [main, 'serve', '--port', '0']

export async function startServer({
  folder,
  env,
  program = serving(),
  ulimit,
  detached = false,
}: ServerOptions): Promise<Server> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const node = [process.execPath, ...program]
  const [command = '', ...args] = ulimit === undefined ? node : ['sh', '-c', limited(ulimit), ...node]
  const child = spawn(command, args, {
    cwd: folder,
    // One process, however many processors the machine has.
    env: { PATH, HOME, NODE_COMPILE_CACHE, WIGWAG_PROCESSES: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached,
  })
  const chunks: string[] = []
  const said = () => chunks.join('')
  const ended = once(child, 'exit').then(() => ({ code: child.exitCode, signal: child.signalCode }))
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk)
      if (/(?:API reference|"msg":"Wigwag is listening)[^\n]*\n/.test(said())) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said()}`)))
  })
  return {
    url: found(said(), /listening on ([^\s"]+)/) ?? '',
    pid: child.pid ?? 0,
    demo: demoOf(said()),
    said,
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    endThread: () => void child.kill('SIGUSR2'),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      const began = performance.now()
      child.kill('SIGTERM')
      return { ...(await ended), ms: performance.now() - began }
    },
    ended,
  }
}

/** For `sh -c`, which gets the program as its first argument. */
const limited = (ulimit: string) => `ulimit ${ulimit} && exec "$0" "$@"`

function demoOf(banner: string): AccountSecrets | undefined {
  const setting = (name: string) => found(banner, new RegExp(`WIGWAG_${name}=(\\S+)`))
  const clientId = setting('CLIENT_ID')
  const clientSecret = setting('CLIENT_SECRET')
  const walletToken = setting('WALLET_TOKEN')
  const callbackSecret = setting('CALLBACK_SECRET')
  if (!clientId || !clientSecret || !walletToken || !callbackSecret) return undefined
  return { accountId: 'demo', clientId, clientSecret, walletToken, callbackSecret }
}

function found(text: string, pattern: RegExp): string | undefined {
  return pattern.exec(text)?.[1]
}
