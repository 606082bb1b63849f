import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { runProcess, startProcess } from './process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const PRODUCTION = {
  WIGWAG_ENV: 'production',
  WIGWAG_SECRET: 'of tests'.repeat(4),
  WIGWAG_CARRIER: 'simulator',
  WIGWAG_METRICS_PORT: '0',
}

const running: ReturnType<typeof startProcess>[] = []
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all(running.map(({ ended }) => ended))
})

let databases = 0
function freshDatabase(): string {
  databases++
  return `file:${join(folder, `${databases}.db`)}`
}

function serve(env: Record<string, string>, database = freshDatabase()) {
  const args = ['serve', '--port', '0', '--database', database]
  const program = startProcess(args, { cwd: folder, env: { WIGWAG_LOG_LEVEL: 'warn', ...env } })
  running.push(program)
  return program
}

/** The lines of a log that programs read. Fails on one that is no JSON. */
const linesOf = (said: string): Record<string, unknown>[] =>
  said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Starts a gateway, stops it once it is up, and gives its output on stderr. */
async function saidBy(env: Record<string, string>): Promise<string> {
  const { child, stderr, ended } = serve(env)
  await eventually(
    'it has started or ended',
    () => /^(?: {2}assistants .*|\{.*"Wigwag is listening.*)$/m.test(stderr()) || child.exitCode !== null,
  )
  child.kill('SIGTERM')
  await ended
  return stderr()
}

it('serves metrics to this machine alone, unless a host is set for them', async () => {
  const said = await saidBy({ ...PRODUCTION, WIGWAG_HOST: '0.0.0.0' })
  expect(said).toMatch(/"url":"http:\/\/0\.0\.0\.0:\d+"/)
  expect(said).toMatch(/"metrics":"http:\/\/127\.0\.0\.1:\d+\/metrics"/)
  const elsewhere = await saidBy({ ...PRODUCTION, WIGWAG_METRICS_HOST: '0.0.0.0' })
  expect(elsewhere).toMatch(/"metrics":"http:\/\/0\.0\.0\.0:\d+\/metrics"/)
})

it('names the setting of the port that is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  const port = await eventually('a port is taken', () => {
    const address = taken.address()
    return typeof address === 'object' && address ? String(address.port) : undefined
  })
  const { ended, stderr } = serve({ ...PRODUCTION, WIGWAG_METRICS_PORT: port })
  expect(await ended).toBe(1)
  expect(stderr()).toContain(`127.0.0.1:${port}; choose another port with WIGWAG_METRICS_PORT`)
  taken.close()
})

it('a second gateway with the desk’s port is told how to do without', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const { ended, stderr } = serve({ ...PRODUCTION, WIGWAG_OPERATOR_PORT: port })
  expect(await ended).toBe(1)
  expect(stderr()).toContain(
    `something else listens on 127.0.0.1:${port}; choose another port with WIGWAG_OPERATOR_PORT, or leave the desk to another gateway: an empty WIGWAG_OPERATOR_PORT= switches it off here`,
  )
  taken.close()
  // Of the folder, so for every gateway that starts in it.
  writeFileSync(join(folder, '.env'), `WIGWAG_OPERATOR_PORT=${port}\n`)
  expect(linesOf(await saidBy(PRODUCTION))).toContainEqual(
    expect.objectContaining({ operators: `http://localhost:${port}/` }),
  )
  expect(await saidBy({ ...PRODUCTION, WIGWAG_OPERATOR_PORT: '' })).not.toContain('operators')
  rmSync(join(folder, '.env'))
})

it('in production a start, a stop and a start that fails are lines of JSON, and nothing else is said', async () => {
  const started = linesOf(await saidBy({ ...PRODUCTION, WIGWAG_LOG_LEVEL: 'info' }))
  const [facts] = started.filter(({ msg }) => String(msg).startsWith('Wigwag is listening on http://'))
  expect(facts).toMatchObject({
    level: 30,
    time: expect.any(Number),
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    environment: 'production',
    database: expect.stringMatching(/^file:/),
    processes: 1,
  })
  expect(started.filter(({ msg }) => msg === 'Stopping …')).toHaveLength(1)
  // Each line is said whatever the level is.
  const quiet = linesOf(await saidBy({ ...PRODUCTION, WIGWAG_LOG_LEVEL: 'fatal' })).map(({ msg }) => msg)
  expect(quiet).toEqual([expect.stringContaining('Wigwag is listening on'), 'Stopping …'])
  for (const [wrong, code, said] of [
    [{ WIGWAG_SECRET: 'short' }, 2, 'WIGWAG_SECRET: expected at least 32 characters'],
    [{ WIGWAG_CARRIER: 'file:./none.json' }, 2, 'WIGWAG_CARRIER: expected a file that can be read'],
    [{ WIGWAG_METRICS_HOST: '203.0.113.9' }, 1, 'this machine has no address 203.0.113.9'],
  ] as const) {
    const { ended, stderr } = serve({ ...PRODUCTION, ...wrong })
    expect(await ended).toBe(code)
    const last = linesOf(stderr()).at(-1)
    expect(last).toMatchObject({ level: 60, exitCode: code, msg: expect.stringContaining(said) })
  }
  // In a sandbox people read it.
  expect(await saidBy({})).toMatch(/^Wigwag is listening on http/)
})

it('names the setting of an address that the machine does not have', async () => {
  const { ended, stderr } = serve({ ...PRODUCTION, WIGWAG_METRICS_HOST: '203.0.113.9' })
  expect(await ended).toBe(1)
  expect(stderr()).toContain(
    'this machine has no address 203.0.113.9; choose another with WIGWAG_METRICS_HOST',
  )
})

it('warns at the start of a proxy that must be there and is not declared', async () => {
  const https = { ...PRODUCTION, WIGWAG_PUBLIC_URL: 'https://sms.example.com' }
  expect(await saidBy(https)).toMatch(/WIGWAG_TRUSTED_PROXIES is not set.*locks everyone out/)
  const declared = await saidBy({ ...https, WIGWAG_TRUSTED_PROXIES: '127.0.0.1/32' })
  expect(declared).not.toContain('WIGWAG_TRUSTED_PROXIES')
})

it('says in log, metrics and doctor that production on the simulator sends nothing', async () => {
  const live = { ...PRODUCTION, WIGWAG_PORT: '0' }
  const { child, stderr, ended } = serve(live)
  const metrics = await eventually(
    'it says where the metrics are',
    () => /"metrics":"([^"]+)"/.exec(stderr())?.[1],
  )
  await eventually('the log has the warning', () =>
    /"level":40.*"msg":"SIMULATED: nothing that goes to simulator is sent/.exec(stderr()),
  )
  expect(await (await fetch(metrics)).text()).toContain('wigwag_carrier_simulated{carrier="simulator"} 1')
  const doctor = await runProcess(['doctor', '--database', `file:${join(folder, `${databases}.db`)}`], {
    cwd: folder,
    env: live,
  })
  expect(doctor.stdout).toMatch(/^warn {2}carriers +SIMULATED: nothing that goes to simulator is sent/m)
  child.kill('SIGTERM')
  await ended
  expect(await saidBy({})).not.toContain('SIMULATED')
})

it('says loudly that a sandbox listens beyond this machine, and nothing of one that does not', async () => {
  const open = await saidBy({ WIGWAG_HOST: '0.0.0.0' })
  expect(open).toMatch(/^\*\*\* WARNING: other machines can reach this sandbox \*\*\*$/m)
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await saidBy({ WIGWAG_HOST: host })).not.toContain('***')
  expect(await saidBy({ ...PRODUCTION, WIGWAG_HOST: '0.0.0.0' })).not.toContain('*** WARNING')
})

it('refuses an SQLite file that another gateway has, and takes it as soon as that one was killed', async () => {
  const database = freshDatabase()
  const isUp = ({ stderr }: ReturnType<typeof serve>) =>
    eventually('it listens', () => /^Wigwag is listening on/m.exec(stderr()))
  const first = serve({}, database)
  await isUp(first)

  const second = serve({}, database)
  expect(await second.ended).toBe(1)
  expect(second.stderr()).toMatch(
    new RegExp(`^wigwag: a gateway works on .*\\.db already, process ${first.child.pid} on `, 'm'),
  )
  expect(await runProcess(['account', 'list', '--database', database], { cwd: folder })).toMatchObject({
    code: 0,
  })

  first.child.kill('SIGKILL')
  await first.ended
  await isUp(serve({}, database))
})
