import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Load, LoadResult } from './load.ts'

const STOP_MS = 20_000

export interface Server {
  port: number
  /** Everything the server said while it started. */
  said: string
  /** Processor time used so far, in milliseconds. */
  cpuMs(): number
  residentMb(): number
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
  return {
    port,
    said,
    cpuMs: () => cpuOf(String(child.pid)).own,
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
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

/** What a process has used of the processor, in milliseconds, by itself and by those of its children that ended. */
function cpuOf(pid: string): { parent: string; own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ms = (...indexes: number[]) => indexes.reduce((sum, index) => sum + Number(fields[index]) * 10, 0)
  return { parent: fields[1] ?? '', own: ms(11, 12), ended: ms(13, 14) }
}

/** The same for a process and all that descend from it. */
export function cpuOfFamily(pid: number): number {
  const all = new Map<string, ReturnType<typeof cpuOf>>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      all.set(entry, cpuOf(entry))
    } catch {
      // It ended meanwhile.
    }
  }
  const descends = (one: string): boolean => {
    if (one === String(pid)) return true
    const parent = all.get(one)?.parent
    return parent !== undefined && parent !== '0' && descends(parent)
  }
  return [...all].reduce((sum, [one, { own, ended }]) => (descends(one) ? sum + own + ended : sum), 0)
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

/** The same where anything but 200 is a fault of the measurement. */
export async function loadOk(options: Load): Promise<LoadResult> {
  const result = await load(options)
  const { '200': answered = 0, ...others } = result.statuses
  if (answered !== result.requests) throw new Error(`expected only 200, got ${JSON.stringify(others)}`)
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

/** What a send needs to be accepted by a gateway's demo account. */
export function demoHeaders({ said }: Pick<Server, 'said'>): Record<string, string> {
  const value = (name: string) => new RegExp(`export WIGWAG_${name}=(\\S+)`).exec(said)?.[1] ?? ''
  const basic = Buffer.from(`${value('CLIENT_ID')}:${value('CLIENT_SECRET')}`).toString('base64')
  return { authorization: `Basic ${basic}`, 'x-wallet': `Token ${value('WALLET_TOKEN')}` }
}
