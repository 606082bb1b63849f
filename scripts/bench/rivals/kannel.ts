import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, listens, startProgram } from '../../interop/program.ts'
import type { Load } from '../load.ts'
import { loadAnswered } from '../processes.ts'
import { MESSAGE } from '../subjects.ts'
import { together, usageOf } from '../usage.ts'
import type { Rival } from './rival.ts'

/** Where Debian's package kannel-extras keeps the carrier that takes everything. */
const FAKE_CARRIER = '/usr/lib/kannel/test/fakesmsc'
const MISSING = 'Install Kannel and its test carrier: apt-get install kannel kannel-extras'

/** Kannel with its file store and a carrier that takes everything. It writes to its store and never flushes it. */
export async function startKannel(folder: string): Promise<Rival> {
  const [admin, smsbox, carrier, http] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const config = join(folder, 'kannel.conf')
  await writeFile(config, settings({ admin, smsbox, carrier, http, store: join(folder, 'kannel.store') }))
  const run = (command: string, ...args: string[]) =>
    startProgram(command, args, { cwd: folder, missing: MISSING })
  const bearerbox = await run('bearerbox', '-v', '4', config)
  await listens(carrier)
  const fake = await run(FAKE_CARRIER, '-H', '127.0.0.1', '-r', String(carrier), '-i', '1000', '-m', '0', 'x')
  const box = await run('smsbox', '-v', '4', config)
  await listens(http)
  const programs = [bearerbox, fake, box]
  const request: Omit<Load, 'connections' | 'seconds'> = {
    port: http,
    path: '/cgi-bin/sendsms',
    callers: [
      {
        'content-type': 'text/plain',
        'x-kannel-username': 'bench',
        'x-kannel-password': 'bench',
        'x-kannel-from': 'WIGWAG',
        'x-kannel-to': MESSAGE.To,
      },
    ],
    body: MESSAGE.Content,
  }
  return {
    name: 'Kannel',
    keeps: true,
    usage: together(programs.map(({ pid }) => usageOf(pid))),
    load: (connections, seconds) => loadAnswered('202', { ...request, connections, seconds }),
    async stop() {
      for (const program of programs.toReversed()) await program.stop()
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
