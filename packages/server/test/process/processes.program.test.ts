import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runProcess } from '../cli/process.ts'
import { eventually } from '../support/eventually.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { freePort } from '../support/free-port.ts'
import { SINGLE, single } from '../support/front.ts'
import { basic } from '../support/harness.ts'
import { connectTo, emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { type Server, startServer } from './server.ts'
import { areUp, askAlone, goneAreAll, isAlive, metricOf, startedBy, whoSaid } from './several.ts'

const ALL = [1, 2, 3]
const EACH_TWICE = 2 * ALL.length

let folder: string
let place: FreshPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-processes-'))
  place = await emptyPostgres()
})
afterAll(async () => {
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts three gateways by one command, and waits until all take requests. */
async function startThree(env: Record<string, string> = {}): Promise<Server> {
  const server = await startServer({
    folder,
    env: {
      WIGWAG_DATABASE_URL: place.url,
      WIGWAG_PROCESSES: String(ALL.length),
      WIGWAG_POSTGRES_CONNECTIONS: '4',
      WIGWAG_LOG_LEVEL: 'info',
      ...env,
    },
    detached: true,
  })
  onTestFinished(async () => {
    const started = startedByAnd(server)
    for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    await goneAreAll(started)
  })
  await areUp(server, ALL.length)
  return server
}

/** None for a first process that is gone. */
function startedByAnd(server: Server): number[] {
  return isAlive(server.pid) ? [server.pid, ...startedBy(server)] : []
}

/** Sends so many messages, each over a connection of its own. None of them gets a receipt. */
async function send({ url, demo }: Server, count: number): Promise<void> {
  if (!demo) throw new Error('the banner names no demo account')
  const headers = {
    authorization: basic(demo),
    'x-wallet': `Token ${demo.walletToken}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ ...single(), To: '233240000005' })
  for (let each = 0; each < count; each++) {
    const { status } = await askAlone(`${url}${SINGLE}`, { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
}

it('several gateways share a port in turn, say once where, and number the lines of their one log', async () => {
  const server = await startThree()
  expect(startedBy(server)).toHaveLength(ALL.length)
  await send(server, EACH_TWICE)
  await eventually('each has logged a request', () => whoSaid(server, '"sendSms"').length === ALL.length)
  expect(whoSaid(server, '"sendSms"')).toEqual(ALL)
  expect(server.said().match(/listening on/g)).toHaveLength(1)
  expect(server.said()).toMatch(/^ {2}processes {5}3$/m)
  expect(server.said().match(/^export WIGWAG_CLIENT_ID/gm)).toHaveLength(1)
})

it('any of them tells the metrics of all: sums of what each did, and once what the database has', async () => {
  const server = await startThree()
  const before = (await metricOf(server, 'wigwag_messages_accepted_total')) ?? 0
  await send(server, EACH_TWICE)
  for (const _ of ALL)
    expect(await metricOf(server, 'wigwag_messages_accepted_total')).toBe(before + EACH_TWICE)
  // A third of four connections is for reads; writes have the others.
  expect(await metricOf(server, 'wigwag_database_connections_max')).toBe(ALL.length * 4)
  expect(await metricOf(server, 'wigwag_build_info')).toBe(1)
  const client = await connectTo(place.url)
  const { rowCount } = await client.query("UPDATE outbox SET faults = 7 WHERE kind = 'await'")
  await client.end()
  expect(rowCount).toBeGreaterThanOrEqual(EACH_TWICE)
  for (const _ of ALL) expect(await metricOf(server, 'wigwag_jobs_set_aside')).toBe(rowCount)
})

it('one that does not answer is left out, and what it had counted is not; killed, it leaves no client waiting', async () => {
  const server = await startThree()
  await send(server, EACH_TWICE)
  const counted = await metricOf(server, 'wigwag_messages_accepted_total')
  const [victim = 0] = startedBy(server)
  process.kill(victim, 'SIGSTOP')
  const { port } = new URL(server.url)
  // One of these is given to the process that was stopped.
  const asked = ALL.map(() => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return new Promise((resolve) => socket.resume().once('close', resolve))
  })
  expect(await metricOf(server, 'wigwag_processes')).toBe(ALL.length - 1)
  expect(await metricOf(server, 'wigwag_messages_accepted_total')).toBe(counted)
  process.kill(victim, 'SIGKILL')
  await Promise.all(asked)
  await areUp(server, ALL.length)
  expect(await metricOf(server, 'wigwag_process_restarts_total')).toBe(1)
  expect(await metricOf(server, 'wigwag_messages_accepted_total')).toBe(counted)
  expect(whoSaid(server, 'a process ended by itself')).toHaveLength(1)
})

it('a hangup has all of them read the carriers again', async () => {
  const carriers = (name: string) =>
    JSON.stringify({
      carriers: { [name]: { url: 'smpp://wigwag@127.0.0.1:1', passwordEnv: 'CARRIER_PASSWORD' } },
      routes: [{ prefix: '', carriers: [{ name }] }],
    })
  await writeFile(join(folder, 'carriers.json'), carriers('before'))
  const server = await startThree({ WIGWAG_CARRIER: 'file:./carriers.json', CARRIER_PASSWORD: 'secret' })
  await writeFile(join(folder, 'carriers.json'), carriers('after'))
  process.kill(server.pid, 'SIGHUP')
  await eventually(
    'all have read them',
    () => whoSaid(server, 'the carriers were read again').length === ALL.length,
  )
  expect(whoSaid(server, 'the carriers were read again')).toEqual(ALL)
})

it('a stop ends all of them in order', async () => {
  const server = await startThree()
  const started = startedBy(server)
  expect(await server.stop()).toMatchObject({ code: 0, signal: null })
  expect(started.filter(isAlive)).toEqual([])
  expect(server.said().match(/Stopping …/g)).toHaveLength(1)
  expect(server.said()).not.toMatch(/"level":[456]0/)
})

it('Ctrl-C reaches all of them and is one request to stop; the second one ends them at once', async () => {
  const server = await startThree({ WIGWAG_STOP_DELAY_MS: '600000' })
  const started = startedBy(server)
  process.kill(-server.pid, 'SIGINT')
  const states = new Set<number | undefined>()
  await eventually('all say that they are not ready', async () => {
    states.clear()
    for (let each = 0; each < EACH_TWICE; each++) states.add((await askAlone(`${server.url}/readyz`)).status)
    return states.size === 1 && states.has(503)
  })
  expect(started.filter(isAlive)).toEqual(started)
  process.kill(-server.pid, 'SIGINT')
  expect(await server.ended).toEqual({ code: 1, signal: null })
  await goneAreAll(started)
})

it('when the first process is killed, the others finish and end', async () => {
  const server = await startThree()
  const started = startedBy(server)
  await server.kill()
  await goneAreAll(started)
  expect(whoSaid(server, 'the first process is gone')).toEqual(ALL)
})

it('one that is asked to stop by itself finishes in order, and is started again', async () => {
  const server = await startThree()
  const [one = 0] = startedBy(server)
  process.kill(one, 'SIGTERM')
  await goneAreAll([one])
  await eventually('it is said', () => whoSaid(server, 'takes requests again').length === 1)
  await areUp(server, ALL.length)
  expect(server.said()).toMatch(/"code":0,"signal":null.*a process ended by itself/)
})

it('the desk is in one of them, whatever was begun there, and is back when that one was killed', async () => {
  const port = await freePort()
  const server = await startThree({ WIGWAG_OPERATOR_PORT: String(port) })
  const desk = `http://127.0.0.1:${port}/`
  for (let each = 0; each < EACH_TWICE; each++) expect((await askAlone(desk)).status).toBeLessThan(500)
  await eventually('its requests are in the log', () => whoSaid(server, '"operation":"page"').length > 0)
  expect(whoSaid(server, '"operation":"page"')).toEqual([1])
  const [first = 0] = startedBy(server)
  process.kill(first, 'SIGKILL')
  await goneAreAll([first])
  await eventually('it is back', () =>
    askAlone(desk).then(
      ({ status = 500 }) => status < 500,
      () => false,
    ),
  )
})

it('SQLite has one', async () => {
  const database = `file:${join(folder, 'wigwag.db')}`
  const { code, stderr } = await runProcess(['serve', '--processes', '2', '--database', database], {
    cwd: folder,
  })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'wigwag: WIGWAG_PROCESSES: expected 1 on SQLite, where one process has the file, got 2; for several set WIGWAG_DATABASE_URL to postgres://…\n',
  })
})

it('a start that can’t succeed says the same with several as with one', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const starts = [
    { WIGWAG_LOG_LEVEL: 'loud' },
    { WIGWAG_PORT: port },
    { WIGWAG_CARRIER: 'file:./none.json' },
    { WIGWAG_DATABASE_URL: `${place.url}_gone` },
  ]
  for (const env of starts) {
    const start = (processes: string) =>
      runProcess(['serve'], {
        cwd: folder,
        env: { WIGWAG_DATABASE_URL: place.url, WIGWAG_PORT: '0', WIGWAG_PROCESSES: processes, ...env },
      })
    const alone = await start('1')
    expect(alone.code).toBeGreaterThan(0)
    expect(alone.stderr).toMatch(/^wigwag: /)
    expect(await start('3')).toEqual(alone)
  }
})
