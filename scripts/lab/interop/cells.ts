import { deepStrictEqual as equal } from 'node:assert'
import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { MAIN, startGateway } from '../bench/rig/gateways.ts'
import type { Server } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { filled } from './deployed.ts'
import { startPostgres } from './postgres.ts'
import { eventually, listens, startProgram } from './program.ts'

const run = promisify(execFile)
const SENDERS = 4
const AGAIN_MS = 100
/** Sends of each client before the move, and after it. */
const SENDS = 200
/** When the message is due that the move waits for. */
const LATER_MS = 10_000
const CELLS = ['eu1', 'eu2'] as const

interface Account {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** Two cells behind HAProxy, each a PostgreSQL with a gateway. An account moves from one to the other while all send. */
export async function cells(folder: string, check: Check): Promise<void> {
  // For PostgreSQL’s own user.
  await chmod(folder, 0o755)
  const all = await Promise.all(CELLS.map((name) => startCell(folder, name)))
  const [one, two] = all
  if (!one || !two) throw new Error('there are two cells')
  const proxy = await startHaproxy(folder, all)
  const moving = await one.account('moving')
  const staying = await one.account('staying')
  const other = await two.account('other')
  const clients = [moving, staying, other].map((account) => startClient(proxy.url, account))
  const [mover, ...others] = clients
  if (!mover) throw new Error('one moves')
  const each = async (sends: number) => {
    const before = clients.map(({ tickets }) => tickets.size)
    await eventually(
      'each has sent',
      async () => clients.every(({ tickets }, n) => tickets.size >= (before[n] ?? 0) + sends) || undefined,
      120_000,
    )
  }
  const move = (...flags: string[]) => {
    const sides = ['--from', withoutPassword(one.database), '--to', withoutPassword(two.database)]
    return run(process.execPath, [MAIN, 'move', ...sides, ...flags], {
      cwd: folder,
      env: { ...process.env, ...ENV },
    })
  }

  try {
    await check('HAProxy leads each client to the cell that its ID names', async () => {
      await each(SENDS)
      const acknowledged = mover.tickets.size
      equal((await one.messagesOf(moving)) >= acknowledged, true)
      equal(await two.messagesOf(moving), 0)
      equal((await two.messagesOf(other)) > 0, true)
    })
    await check('an account moves when its last message has ended, and both sides are compared', async () => {
      await mover.schedule(LATER_MS)
      const before = mover.tickets.size
      const { stdout, stderr } = await move('--account', moving.accountId)
      equal(/^Waiting for .*1 scheduled message, the last for /m.test(stderr), true, stderr)
      equal(/accounts +1 +1 +same/.test(stdout), true, stdout)
      equal(stderr.includes(`${moving.clientId} eu2`), true, stderr)
      await appendFile(proxy.map, `${moving.clientId} eu2\n`)
      await proxy.reload()
      await eventually(
        'it is sent for there',
        async () => mover.tickets.size > before + SENDS || undefined,
        60_000,
      )
    })
    await check('its clients were only ever asked to come again', async () => {
      equal([...mover.statuses.keys()].sort(), [200, 503])
      for (const client of others) equal([...client.statuses.keys()], [200])
    })
    await check('with the command once more it is gone where it was', async () => {
      const { stderr } = await move('--account', moving.accountId)
      equal(/nothing of it is left in eu1/.test(stderr), true, stderr)
      equal(await one.messagesOf(moving), 0)
      await each(SENDS)
    })
    await check(
      'each acknowledged message is in one cell, once, and the books of both are equal',
      async () => {
        await Promise.all(clients.map(({ stop }) => stop()))
        await Promise.all(all.map(({ settled }) => settled()))
        equal(await two.messagesOf(moving), mover.tickets.size)
        equal(await one.messagesOf(staying), others[0]?.tickets.size)
        equal(await two.messagesOf(other), others[1]?.tickets.size)
        for (const { doctor } of all) equal(/^ok +ledger/m.test(await doctor()), true)
      },
    )
    console.log(
      `          the longest time without an answer of 200: ${(mover.longestMs() / 1_000).toFixed(1)} s`,
    )
  } finally {
    await Promise.all(clients.map(({ stop }) => stop()))
    await proxy.stop()
    await Promise.all(all.map(({ stop }) => stop()))
  }
}

/** A password in an address is refused: others see the command line. These servers ask for none. */
function withoutPassword(address: string): string {
  const url = new URL(address)
  url.password = ''
  return url.href
}

const ENV = { WIGWAG_SECRET: 'the same secret for both cells' }

async function startCell(parent: string, name: string) {
  const folder = join(parent, name)
  await mkdir(folder)
  const server = await startPostgres(folder)
  await server.createDatabase(name)
  const database = server.urlOf(name)
  const env = { ...ENV, WIGWAG_CELL: name, WIGWAG_DATABASE_URL: database }
  const gateway: Server = await startGateway(parent, env)
  const wigwag = async (...args: string[]) =>
    (await run(process.execPath, [MAIN, ...args], { cwd: parent, env: { ...process.env, ...env } })).stdout
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const count = async (text: string, ...values: string[]): Promise<number> =>
    Number((await client.query(text, values)).rows[0].count)
  return {
    name,
    database,
    gateway,
    async account(who: string): Promise<Account> {
      const made = [
        '--name',
        who,
        '--email',
        `${who}@example.com`,
        '--currency',
        'GHS',
        '--balance',
        '100000',
      ]
      return JSON.parse(await wigwag('account', 'create', ...made, '--sender', 'WIGWAG', '--json'))
    },
    messagesOf: ({ accountId }: Account) =>
      count('SELECT count(*) FROM messages WHERE account_id = $1', accountId),
    settled: () =>
      eventually(
        'all is final',
        async () =>
          (await count('SELECT count(*) FROM messages WHERE sender_key IS NULL')) === 0 || undefined,
      ),
    doctor: () => wigwag('doctor'),
    async stop() {
      await client.end()
      await gateway.stop()
      await server.stop()
    },
  }
}

async function startHaproxy(folder: string, all: readonly { name: string; gateway: Server }[]) {
  const [port, map, config] = [await freePort(), join(folder, 'cells.map'), join(folder, 'haproxy.cfg')]
  await writeFile(map, await filled('cells/cells.map', []))
  const here = all.flatMap(({ name, gateway }, n) => [
    [`server ${name}-a 10.0.${n + 1}.11:8080`, `server ${name}-a 127.0.0.1:${gateway.port}`] as const,
    [`    server ${name}-b 10.0.${n + 1}.12:8080 check inter 1s\n`, ''] as const,
  ])
  const fill = [['127.0.0.1:8000', `127.0.0.1:${port}`], ['/etc/haproxy/cells.map', map], ...here] as const
  await writeFile(config, await filled('cells/haproxy.cfg', fill))
  const haproxy = await startProgram('haproxy', ['-W', '-f', config], {
    cwd: folder,
    missing: 'Install HAProxy: apt-get install haproxy',
  })
  await listens(port)
  await pause(2_000)
  return {
    ...haproxy,
    url: `http://127.0.0.1:${port}`,
    map,
    /** Does the same as `systemctl reload haproxy`. */
    reload: async () => void process.kill(haproxy.pid, 'SIGUSR2'),
  }
}

/** Sends as a careful client does: each message with its key, again until it is accepted. */
function startClient(url: string, { clientId, clientSecret, walletToken }: Account) {
  const headers = {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'x-wallet': `Token ${walletToken}`,
    'content-type': 'application/json',
  }
  const tickets = new Map<string, string>()
  const statuses = new Map<number, number>()
  let [sent, stopped, lastAt, longestMs] = [0, false, performance.now(), 0]

  async function schedule(inMs: number): Promise<void> {
    const SendAt = new Date(Date.now() + inMs).toISOString()
    const body = JSON.stringify({ From: 'WIGWAG', To: '233241234567', Content: 'Later', SendAt })
    const response = await fetch(`${url}/v1/messages/sms/scheduled`, { method: 'POST', headers, body })
    tickets.set('later', JSON.parse(await response.text()).Ticket)
  }

  async function sendOn(): Promise<void> {
    while (!stopped) {
      const key = `${clientId}-${sent++}`
      const body = JSON.stringify({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', Reference: key })
      while (!stopped && !tickets.has(key)) {
        const init = { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body }
        // A proxy that is reloaded closes what it has open, perhaps just when a request comes.
        const response = await fetch(`${url}/v1/messages/sms`, init).catch(() => undefined)
        const text = await response?.text()
        if (response) statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        if (response?.status !== 200 || text === undefined) await pause(AGAIN_MS)
        else {
          longestMs = Math.max(longestMs, performance.now() - lastAt)
          lastAt = performance.now()
          tickets.set(key, JSON.parse(text).Ticket)
        }
      }
      await pause(5)
    }
  }
  const senders = Array.from({ length: SENDERS }, sendOn)
  return {
    tickets,
    statuses,
    schedule,
    longestMs: () => longestMs,
    async stop() {
      stopped = true
      await Promise.all(senders)
    },
  }
}
