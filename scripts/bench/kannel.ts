import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Load } from './load.ts'
import { cpuOfFamily, load } from './processes.ts'

/** Where Debian's package kannel-extras keeps the carrier that takes everything. */
const FAKE_CARRIER = '/usr/lib/kannel/test/fakesmsc'
const MISSING = 'expected Kannel with its test carrier: apt-get install kannel kannel-extras'

export interface Kannel {
  load(connections: number, seconds: number): ReturnType<typeof load>
  cpuMs(): number
  stop(): Promise<void>
}

/** Kannel with its file store and a carrier that takes everything. It writes to its store and never flushes it. */
export async function startKannel(folder: string): Promise<Kannel> {
  await mkdir(folder, { recursive: true })
  const [admin, smsbox, carrier, http] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const config = join(folder, 'kannel.conf')
  await writeFile(config, settings({ admin, smsbox, carrier, http, store: join(folder, 'kannel.store') }))
  const programs = [
    await run('bearerbox', ['-v', '4', config]),
    await run(FAKE_CARRIER, ['-H', '127.0.0.1', '-r', String(carrier), '-i', '1000', '-m', '0', 'x']),
    await run('smsbox', ['-v', '4', config]),
  ]
  const request: Omit<Load, 'connections' | 'seconds'> = {
    port: http,
    path: '/cgi-bin/sendsms',
    callers: [
      {
        'content-type': 'text/plain',
        'x-kannel-username': 'bench',
        'x-kannel-password': 'bench',
        'x-kannel-from': 'WIGWAG',
        'x-kannel-to': '233241234567',
      },
    ],
    body: 'Your order 1042 is on its way and will be with you between nine and eleven this morning.',
  }
  return {
    load: (connections, seconds) => load({ ...request, connections, seconds }),
    cpuMs: () => programs.reduce((sum, { pid }) => sum + cpuOfFamily(pid), 0),
    async stop() {
      for (const program of programs.toReversed()) await program.stop()
    },
  }
}

async function run(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(MISSING, { cause: error })))
  })
  await pause(1_500)
  if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}. ${MISSING}`)
  return {
    pid: child.pid ?? 0,
    stop() {
      child.kill('SIGTERM')
      return Promise.race([ended, pause(3_000).then(() => void child.kill('SIGKILL'))])
    },
  }
}

function settings(at: {
  admin: number
  smsbox: number
  carrier: number
  http: number
  store: string
}): string {
  return `group = core
admin-port = ${at.admin}
admin-password = bench
smsbox-port = ${at.smsbox}
box-allow-ip = 127.0.0.1
store-type = file
store-file = ${at.store}

group = smsc
smsc = fake
smsc-id = fake
port = ${at.carrier}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${at.smsbox}
sendsms-port = ${at.http}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = bench
password = bench

group = sms-service
keyword = default
text = "none"
`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
