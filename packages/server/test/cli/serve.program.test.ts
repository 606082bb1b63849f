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

/** Starts a gateway, stops it once it is up, and gives its output on stderr. */
async function saidBy(env: Record<string, string>): Promise<string> {
  const { child, stderr, ended } = serve(env)
  await eventually(
    'it has started or ended',
    () => /^ {2}assistants .*$/m.test(stderr()) || child.exitCode !== null,
  )
  child.kill('SIGTERM')
  await ended
  return stderr()
}

it('serves metrics to this machine alone, unless a host is set for them', async () => {
  const said = await saidBy({ ...PRODUCTION, WIGWAG_HOST: '0.0.0.0' })
  expect(said).toMatch(/listening on http:\/\/0\.0\.0\.0:/)
  expect(said).toMatch(/^ {2}metrics +http:\/\/127\.0\.0\.1:\d+\/metrics$/m)
  const elsewhere = await saidBy({ ...PRODUCTION, WIGWAG_METRICS_HOST: '0.0.0.0' })
  expect(elsewhere).toMatch(/^ {2}metrics +http:\/\/0\.0\.0\.0:\d+\/metrics$/m)
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

it('says in banner, log, metrics and doctor that production on the simulator sends nothing', async () => {
  const live = { ...PRODUCTION, WIGWAG_PORT: '0' }
  const { child, stderr, ended } = serve(live)
  const metrics = await eventually(
    'it says where the metrics are',
    () => /^ {2}metrics +(\S+)$/m.exec(stderr())?.[1],
  )
  expect(stderr()).toMatch(/^\*\*\* SIMULATED: nothing that goes to simulator is sent to a phone/m)
  // The log is written a moment later.
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
