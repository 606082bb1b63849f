import { type ChildProcess, spawn } from 'node:child_process'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Load, LoadResult } from './load.ts'
import { type Usage, usageOf } from './usage.ts'

const STOP_MS = 20_000

export interface Server extends Usage {
  pid: number
  port: number
  /** Everything the server said while it started. */
  said: string
  stop(): Promise<void>
}

/** Starts a server process and waits for it to say where it listens. */
export async function startServer(
  script: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Promise<Server> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const { port, said } = await listening(child)
  const pid = child.pid ?? 0
  return {
    pid,
    port,
    said,
    ...usageOf(pid),
    stop: () =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          console.error(`  ${basename(script)} did not end within ${STOP_MS / 1_000} s and was killed`)
          kill()
        }, STOP_MS)
        child.once('exit', () => {
          clearTimeout(late)
          resolve()
        })
        child.kill('SIGTERM')
      }),
  }
}

function listening(child: ChildProcess): Promise<{ port: number; said: string }> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
    child.stderr?.on('data', (chunk) => {
      said += chunk
      const port = /(?:listening on http:\/\/|over SMPP on )127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      // The gateway's banner comes in one piece with its credentials.
      if (port) resolve({ port: Number(port), said })
    })
  })
}

/** Puts load on a server from another process, which is told what to do on its standard input. */
export async function load(options: Load): Promise<LoadResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(options))
  return JSON.parse(await text(child.stdout)) as LoadResult
}

/** The same where any answer but 200 is a fault of the measurement. */
export function loadOk(options: Load): Promise<LoadResult> {
  return loadAnswered('200', options)
}

/** The same where any other answer is a fault of the measurement. */
export async function loadAnswered(status: string, options: Load): Promise<LoadResult> {
  const result = await load(options)
  const { [status]: answered = 0, ...others } = result.statuses
  if (answered !== result.requests)
    throw new Error(`expected only ${status}, got ${JSON.stringify(others)} beside ${answered} of those`)
  return result
}

/** Waits until what one measurement left to do is done: less than a tenth of a processor is used. */
export async function atRest(cpuMs: () => number): Promise<void> {
  const deadline = performance.now() + 180_000
  for (let before = cpuMs(); ; before = cpuMs()) {
    await pause(500)
    if (cpuMs() - before < 50) return
    if (performance.now() > deadline) throw new Error('expected the gateway to come to rest, it did not')
  }
}

/** The credentials of a gateway's demo account, for sends. */
export function demoHeaders({ said }: Pick<Server, 'said'>): Record<string, string> {
  const value = (name: string) => new RegExp(`export WIGWAG_${name}=(\\S+)`).exec(said)?.[1] ?? ''
  const basic = Buffer.from(`${value('CLIENT_ID')}:${value('CLIENT_SECRET')}`).toString('base64')
  return { authorization: `Basic ${basic}`, 'x-wallet': `Token ${value('WALLET_TOKEN')}` }
}

export const DEMO_EMAIL = 'demo@wigwag.dev'

/** Signs in to the demo account. Gives the cookies. */
export async function signIn({ port, said }: Server): Promise<string> {
  const page = `http://127.0.0.1:${port}/sign-in`
  const password = /the password (\S+)/.exec(said)?.[1] ?? ''
  const form = await fetch(page)
  const hidden = [...(await form.text()).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value])
  const ticket = cookiesOf(form)
  const done = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: ticket, origin: new URL(page).origin },
    body: new URLSearchParams([...fields, ['email', DEMO_EMAIL], ['password', password]]),
  })
  if (done.status !== 303) throw new Error(`expected to be signed in, got ${done.status}`)
  return `${ticket}; ${cookiesOf(done)}`
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
