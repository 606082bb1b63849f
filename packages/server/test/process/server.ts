import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AccountSecrets } from '../../src/accounts/operator.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** A gateway in a process of its own, as it was built. */
export interface Server {
  url: string
  /** The demo account, as the banner tells it. */
  demo: AccountSecrets | undefined
  /** What it said on stderr. */
  said(): string
  /** Ends it at once, wherever it is. */
  kill(): Promise<void>
  /** Stops it wherever it is, until it is thawed. */
  freeze(): void
  thaw(): void
  /** Asks it to stop, and says how it ended and how long that took. */
  stop(): Promise<{ code: number | null; signal: string | null; ms: number }>
}

export interface ServerOptions {
  /** Where it runs, so that nothing is read or left where the tests are. */
  folder: string
  env: Record<string, string>
  /** The program to run, if not the one that was built. */
  main?: string
}

export async function startServer({ folder, env, main = MAIN }: ServerOptions): Promise<Server> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [main, 'serve', '--port', '0'], {
    cwd: folder,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const chunks: string[] = []
  const said = () => chunks.join('')
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk)
      if (/API reference[^\n]*\n/.test(said())) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said()}`)))
  })
  return {
    url: found(said(), /listening on (\S+)/) ?? '',
    demo: demoOf(said()),
    said,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    freeze() {
      child.kill('SIGSTOP')
    },
    thaw() {
      child.kill('SIGCONT')
    },
    async stop() {
      const began = performance.now()
      child.kill('SIGTERM')
      await ended
      return { code: child.exitCode, signal: child.signalCode, ms: performance.now() - began }
    },
  }
}

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
