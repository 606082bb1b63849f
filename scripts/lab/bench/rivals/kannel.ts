import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'
import { listens, startProgram } from '../../interop/program.ts'
import type { BenchDatabase } from '../rig/database.ts'
import { MESSAGE, startFlowCarrier } from '../rig/gateways.ts'
import { DIGITS, type Load } from '../rig/load.ts'
import { loadAnswered } from '../rig/processes.ts'
import { startReceiver } from '../rig/receiver.ts'
import { together, usageOf } from '../rig/usage.ts'
import type { Rival } from './rival.ts'

const MISSING = 'Install Kannel: apt-get install kannel kannel-extras'

/**
 * Kannel with a carrier of its own over SMPP and a receiver of its own, which are programs like ours. It writes messages
 * to its store and never flushes it; receipts that it waits for are in memory or, with a database, in PostgreSQL.
 */
export async function startKannel(folder: string, binds: number, database?: BenchDatabase): Promise<Rival> {
  const [admin, smsbox, http] = [await freePort(), await freePort(), await freePort()]
  const carrier = await startFlowCarrier(folder)
  const receiver = await startReceiver(folder)
  const config = join(folder, 'kannel.conf')
  const at = { admin, smsbox, http, carrier: carrier.port, binds, store: join(folder, 'kannel.store') }
  const receipts = database ? await receiptsIn(database.url) : 'dlr-storage = internal'
  await writeFile(config, [core(at), receipts, others(at)].join('\n'))
  const run = (command: string, ...args: string[]) =>
    startProgram(command, args, { cwd: folder, missing: MISSING })
  const bearerbox = await run('bearerbox', '-v', '4', config)
  await listens(smsbox)
  const box = await run('smsbox', '-v', '4', config)
  await listens(http)
  const programs = [bearerbox, box]
  const request: Omit<Load, 'connections' | 'seconds'> = {
    port: http,
    path: '/cgi-bin/sendsms',
    callers: [
      {
        'content-type': 'text/plain',
        'x-kannel-username': 'bench',
        'x-kannel-password': 'bench',
        'x-kannel-from': 'WIGWAG',
        'x-kannel-to': `23324${DIGITS}7`,
        // Receipts that are final: delivered, and not delivered.
        'x-kannel-dlr-mask': '3',
        'x-kannel-dlr-url': `${receiver.url}?type=%d`,
      },
    ],
    body: MESSAGE.Content,
  }
  return {
    name: database ? 'Kannel, receipts in PostgreSQL' : 'Kannel',
    keeps: true,
    usage: together(programs.map(({ pid }) => usageOf(pid))),
    database,
    told: async () => (await receiver.counted()).told,
    load: (connections, seconds) => loadAnswered('202', { ...request, connections, seconds }),
    async stop() {
      for (const program of [...programs.toReversed(), receiver, carrier]) await program.stop()
    },
  }
}

interface Places {
  admin: number
  smsbox: number
  http: number
  carrier: number
  binds: number
  store: string
}

function core(at: Places): string {
  return `group = core
admin-port = ${at.admin}
admin-password = bench
smsbox-port = ${at.smsbox}
box-allow-ip = 127.0.0.1
store-type = file
store-file = ${at.store}`
}

/** Makes the table in which Kannel keeps what it needs for receipts, with an index for its look-ups. */
async function receiptsIn(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE TABLE dlr (smsc TEXT, ts TEXT, source TEXT, destination TEXT, service TEXT, url TEXT,
    mask INTEGER, status INTEGER, boxc TEXT)`)
  await client.query('CREATE INDEX ON dlr (ts, smsc)')
  await client.end()
  const { hostname, port, username, password, pathname } = new URL(url)
  return `dlr-storage = pgsql

group = pgsql-connection
id = receipts
host = ${hostname}
port = ${port}
username = ${username}
password = ${password || 'none'}
database = ${pathname.slice(1)}
max-connections = 4

group = dlr-db
id = receipts
table = dlr
field-smsc = smsc
field-timestamp = ts
field-source = source
field-destination = destination
field-service = service
field-url = url
field-mask = mask
field-status = status
field-boxc-id = boxc`
}

/** Each connection with a window of 100, as ours. */
function others(at: Places): string {
  return `
group = smsc
smsc = smpp
smsc-id = bench
host = 127.0.0.1
port = ${at.carrier}
transceiver-mode = true
smsc-username = bench
smsc-password = secret
system-type = ""
interface-version = 34
max-pending-submits = 100
instances = ${at.binds}

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
