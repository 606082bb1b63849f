import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@wigwag/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const ENV = { WIGWAG_CARRIER: 'file:./carriers.json' }
let gateway: MovedGateway

const NORTH = { name: 'north', priority: 1, weight: 3, cost: '0.01' }
const SOUTH = { name: 'south', priority: 1, weight: 1 }
const WEST = { name: 'west', priority: 2, cost: '0.02' }
const FILE = {
  carriers: { north: { url: 'simulator:' }, south: { url: 'simulator:' }, west: { url: 'simulator:' } },
  routes: [
    { prefix: '', carriers: [WEST] },
    { prefix: '23324', carriers: [WEST, SOUTH, NORTH] },
    { prefix: '23324', sender: 'ACME', carriers: [NORTH] },
  ],
}
/** Its route names a carrier that there is not. */
const BROKEN = `{
  "carriers": { "north": { "url": "simulator:" } },
  "routes": [{ "prefix": "", "carriers": [{ "name": "nort" }] }]
}`

const ANY = { networks: [], senders: [], accounts: [] }

const write = (text: string, name = 'carriers.json') => writeFileSync(join(folder, name), text)
const carriers = (...args: string[]) => gateway.operate(['carriers', ...args])

interface Listed {
  processes: {
    process: string
    problems: string[]
    carriers: { carrier: string; place: string; state: string; since: string; capacity: number }[]
  }[]
  setting?: { carriers: { carrier: string; place: string }[]; problems: string[] }
  messages: { carrier: string; waiting: number; oldestSeconds: number | null; uncertain: number }[]
}

async function listed(): Promise<Listed> {
  const { code, stdout } = await carriers('list', '--json')
  expect(code).toBe(0)
  return JSON.parse(stdout) as Listed
}

const statesOf = ({ processes }: Listed) =>
  Object.fromEntries(processes.flatMap((one) => one.carriers.map(({ carrier, state }) => [carrier, state])))

beforeAll(async () => {
  write(JSON.stringify(FILE))
  gateway = await startMovedGateway(folder, undefined, ENV)
  await gateway.until('a gateway reports its carriers', async () => (await listed()).processes.length > 0)
})

describe('wigwag carriers list', () => {
  it('shows how each carrier is in each running gateway', async () => {
    const { stdout, stderr, code } = await carriers('list')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^CARRIER +PROCESS +STATE +SINCE +WINDOW +CAPACITY +RESTS +UNREADABLE +PLACE/)
    expect(stdout).toMatch(/^north +\S+:\d+ +up +20\d\d-\S+Z +\d+ +\d+ +0 +0 +simulator$/m)
    expect(stdout).toMatch(/^CARRIER +WAITING +OLDEST +UNCERTAIN +EARLY RECEIPTS$/m)
    expect(stdout).toMatch(/^west +0 +0 +0$/m)
  })

  it('says that none runs, and what the setting says, without passwords', async () => {
    const alone = onUnusedDatabase()
    const url = 'smpp://wigwag:top-secret@smsc.example:2775'
    const list = await alone('list', { WIGWAG_CARRIER: url })
    expect(list.code).toBe(0)
    expect(list.stdout).toMatch(/^smsc\.example +smpp:\/\/wigwag@smsc\.example:2775$/m)
    expect(list.stderr).toContain('No gateway runs.')
    expect(list.stdout + list.stderr).not.toContain('top-secret')
  })

  it('shows the problems of a setting that no gateway could start with', async () => {
    const alone = onUnusedDatabase()
    write(BROKEN, 'broken.json')
    const list = await alone('list', { WIGWAG_CARRIER: 'file:./broken.json' })
    expect(list.code).toBe(0)
    expect(list.stderr).toMatch(/broken\.json:3:\d+: .*north.*"nort"/)
  })
})

let alones = 0
/** Runs a command of carriers on a database that no gateway uses. */
function onUnusedDatabase() {
  const database = `file:${join(folder, `alone-${++alones}.db`)}`
  return async (command: string, env: Record<string, string>, args: readonly string[] = []) => {
    const migrated = await runProgram(['migrate', '--database', database], { cwd: folder })
    expect(migrated.code).toBe(0)
    return runProgram(['carriers', ...command.split(' '), ...args, '--database', database], {
      cwd: folder,
      env,
      clock: gateway.clock,
    })
  }
}

describe('wigwag carriers pause and resume', () => {
  it('pauses a carrier of a running gateway, says so when it is paused already, and resumes it', async () => {
    const paused = await carriers('pause', 'north', '--json')
    expect(JSON.parse(paused.stdout)).toEqual({ carrier: 'north', paused: true, changed: true })
    await gateway.until('north is paused', async () => statesOf(await listed()).north === 'paused')
    expect(statesOf(await listed())).toEqual({ north: 'paused', south: 'up', west: 'up' })
    const again = await carriers('pause', 'north', '--reason', 'slow')
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('north is already paused') })
    const resumed = await carriers('resume', 'north', '--reason', 'mended')
    expect(resumed.stderr).toContain('north is no longer paused')
    expect((await gateway.operate(['audit', '--action', 'carrier.resume'])).stdout).toContain('mended')
    await gateway.until('north goes on', async () => statesOf(await listed()).north === 'up')
    expect((await carriers('resume', 'north')).stderr).toContain('north is not paused')
  })

  it('pauses and resumes all of them, those of messages and of no plan too, each in the audit log', async () => {
    await carriers('pause', 'south')
    const all = await carriers('pause', '--all', '--json', '--reason', 'a restore')
    expect(JSON.parse(all.stdout)).toEqual({
      paused: true,
      carriers: [
        { carrier: 'north', changed: true },
        { carrier: 'south', changed: false },
        { carrier: 'west', changed: true },
      ],
    })
    await gateway.until('all are paused', async () =>
      Object.values(statesOf(await listed())).every((state) => state === 'paused'),
    )
    const audited = await gateway.operate(['audit', '--action', 'carrier.pause', '--json'])
    expect(
      (JSON.parse(audited.stdout) as { detail: object }[]).slice(0, 2).map(({ detail }) => detail),
    ).toEqual([
      { carrier: 'west', reason: 'a restore' },
      { carrier: 'north', reason: 'a restore' },
    ])
    expect((await carriers('resume', '--all')).stderr).toBe(
      'north is no longer paused.\nsouth is no longer paused.\nwest is no longer paused.\n' +
        'Their messages go out within a second.\n',
    )
    await gateway.until('all go on', async () =>
      Object.values(statesOf(await listed())).every((state) => state === 'up'),
    )
    expect(await carriers('resume', '--all')).toMatchObject({
      code: 0,
      stderr: 'No carrier is paused. Nothing was changed.\n',
    })
    const alone = onUnusedDatabase()
    expect((await alone('pause --all', { WIGWAG_CARRIER: 'simulator' })).stderr).toContain(
      'simulator is paused.',
    )
    expect((await carriers('pause')).code).toBe(2)
    expect((await carriers('pause', 'north', '--all')).code).toBe(2)
  })

  it.each(['pause', 'resume'])('knows the names that it cannot %s', async (command) => {
    expect(await carriers(command, 'norht')).toMatchObject({
      code: 1,
      stderr: 'wigwag: there is no carrier "norht" (did you mean north?); known are north, south, west\n',
    })
  })
})

describe('wigwag carriers reload', () => {
  it('prints what each gateway read, or the lines that are wrong, and then fails', async () => {
    write(BROKEN)
    const broken = await gateway.during(carriers('reload'))
    expect(broken.code).toBe(1)
    expect(broken.stdout).toMatch(/ not changed +north, south, west$/m)
    expect(broken.stderr).toMatch(/^\S+:\d+: .*carriers\.json:3:\d+: .*"nort"$/m)
    expect(broken.stderr).toContain('1 of 1 gateway did not read its carriers again')
    expect((await carriers('list')).stderr).toContain('could not read its carriers again')

    write(JSON.stringify({ ...FILE, carriers: { ...FILE.carriers, east: { url: 'simulator:' } } }))
    const read = await gateway.during(carriers('reload', '--json'))
    expect(read.code).toBe(0)
    expect(JSON.parse(read.stdout)).toMatchObject({
      processes: [
        {
          answered: true,
          problems: [],
          carriers: expect.arrayContaining(['north', 'south', 'west', 'east']),
        },
      ],
    })
    expect(statesOf(await listed())).toMatchObject({ east: 'up' })
  })

  it('is what SIGHUP does', async () => {
    write(JSON.stringify(FILE))
    gateway.hangUp()
    await gateway.until('east is gone', async () => !('east' in statesOf(await listed())))
    write(BROKEN)
    gateway.hangUp()
    await gateway.until('the broken plan is reported', async () => {
      const [one] = (await listed()).processes
      return one && one.problems.length > 0
    })
    expect(statesOf(await listed())).toEqual({ north: 'up', south: 'up', west: 'up' })
    write(JSON.stringify(FILE))
    expect((await gateway.during(carriers('reload'))).code).toBe(0)
  })

  it('says that no gateway runs', async () => {
    const reload = await onUnusedDatabase()('reload', ENV)
    expect(reload).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No gateway runs.') })
  })
})

describe('wigwag carriers test', () => {
  it('names the route and the carriers in order, and sends nothing', async () => {
    const { code, stdout } = await carriers('test', '+233241234567', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      number: '233241234567',
      network: '62001',
      route: { prefix: '23324', networks: [], senders: [], accounts: [] },
      carriers: [
        { carrier: 'north', priority: 1, weight: 3, share: 75, cost: 0.01, state: 'up' },
        { carrier: 'south', priority: 1, weight: 1, share: 25, cost: null, state: 'up' },
        { carrier: 'west', priority: 2, weight: 1, share: 100, cost: 0.02, state: 'up' },
      ],
      routes: [
        { ...ANY, prefix: '23324', result: 'takes', reason: 'it fits, and no other is as specific' },
        {
          ...ANY,
          prefix: '',
          result: 'fits',
          reason: 'it fits, but a route with the longer prefix 23324 comes first',
        },
        { ...ANY, prefix: '23324', senders: ['ACME'], result: 'misses', reason: 'no sender is given' },
      ],
    })
  })

  it('says which are tried first, and which take what these could not', async () => {
    const { stdout } = await carriers('test', '233241234567')
    expect(stdout).toMatch(
      /^north +1 +3 +75 % +0\.01 +up\nsouth +1 +1 +25 % +up\nwest +2 +1 +then 100 % +0\.02 +up$/m,
    )
  })

  it('considers the sender, and puts a paused carrier last', async () => {
    const fromAcme = await carriers('test', '233241234567', '--from', 'ACME')
    expect(fromAcme.stdout).toMatch(/^route +sender ACME, prefix 23324$/m)
    expect(fromAcme.stdout).toMatch(
      /^prefix 23324 +fits +it fits, but a route that names the sender comes first$/m,
    )
    expect(fromAcme.stdout).toMatch(/^north +1 +3 +100 % +0\.01 +up$/m)
    await carriers('pause', 'north')
    await gateway.until('north is paused', async () => statesOf(await listed()).north === 'paused')
    const { stdout } = await carriers('test', '233241234567', '--json')
    await carriers('resume', 'north')
    const order = (JSON.parse(stdout) as { carriers: { carrier: string; state: string }[] }).carriers
    expect(order.map(({ carrier, state }) => `${carrier} ${state}`)).toEqual([
      'south up',
      'west up',
      'north paused',
    ])
  })

  it('fails when no route takes the number, and with the problems of a file that cannot be read', async () => {
    const alone = onUnusedDatabase()
    write(JSON.stringify({ ...FILE, routes: [{ prefix: '23320', carriers: [WEST] }] }), 'few.json')
    const none = await alone('test 233241234567', { WIGWAG_CARRIER: 'file:./few.json' })
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no route takes this number') })
    write(BROKEN, 'broken.json')
    const broken = await alone('test 233241234567', { WIGWAG_CARRIER: 'file:./broken.json' })
    expect(broken.code).toBe(2)
    expect(broken.stderr).toMatch(/^wigwag: .*broken\.json:3:\d+: /)
    expect(broken.stderr).not.toMatch(/^\s+at /m)
    expect((await carriers('test', '23324')).code).toBe(2)
  })
})

describe('wigwag carriers test --send', () => {
  const send = (port: number | undefined, ...args: string[]) =>
    gateway.during(
      onUnusedDatabase()('test', { WIGWAG_CARRIER: `smpp://demo:demo@127.0.0.1:${port}?reconnectMs=100` }, [
        '233241234567',
        '--from',
        'ACME',
        '--send',
        'Hello',
        ...args,
      ]),
    )

  it('submits one message over a connection that takes no receipts, and prints the reference', async () => {
    const smsc = await fakeCarrier({ receiptFirst: true })
    const sent = await send(smsc.port)
    expect(sent).toMatchObject({ code: 0 })
    expect(sent.stderr).toMatch(/127\.0\.0\.1 took it as [0-9a-f]+\./)
    expect(smsc.taken.map(({ text }) => text)).toEqual(['Hello'])
  })

  it('says what the carrier refuses, and why there is no connection, without the password', async () => {
    const smsc = await fakeCarrier({ password: 'another' })
    const refused = await send(smsc.port)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('no connection within')
    expect(refused.stderr).toContain('RINVPASWD')
    expect(refused.stdout + refused.stderr).not.toContain('demo:demo')
  })

  it('needs a sender, and a carrier that there is', async () => {
    const none = await onUnusedDatabase()('test', ENV, ['233241234567', '--send', 'Hello'])
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('--send needs --from')
    const unknown = await send(1, '--carrier', 'nort')
    expect(unknown.stderr).toContain('there is no carrier "nort"; known are 127.0.0.1')
  })
})

describe('wigwag carriers costs', () => {
  it('compares what carriers are owed with what customers paid, in one currency', async () => {
    const account = await gateway.createAccount('costs@acme.example')
    await gateway.operate(['sender', 'approve', account.accountId, 'Other'])
    const sent = await gateway.send(account)
    const { Ticket } = (await sent.json()) as { Ticket: string }
    await gateway.finalOf(account, Ticket)
    const result = await gateway.until('the costs are there', async () => {
      const { stdout } = await carriers('costs', '--since', '2026-01-01', '--json')
      const found = JSON.parse(stdout)
      return found.carriers.length > 0 && found.currencies.length > 0 ? found : undefined
    })
    const paid = 100 - (await gateway.balanceOf(account))
    expect(result).toMatchObject({
      since: '2026-01-01',
      currencies: ['GHS'],
      carriers: [{ carrier: 'north', country: 'GH', parts: 1, owed: 0.01 }],
      networks: [{ country: 'GH', owed: 0.01 }],
    })
    expect(result.networks[0].charged.GHS).toBeCloseTo(paid, 6)
    expect(result.networks[0].margin).toBeCloseTo(paid - 0.01, 6)
    const { stdout, stderr } = await carriers('costs')
    expect(stdout).toMatch(/^north +GH +\S.* +1 +0\.01$/m)
    expect(stderr).toMatch(/^The margin is GHS 0\.\d+, where costs are known/m)
  })

  it('shows no margin where customers paid in several currencies', async () => {
    const account = await gateway.createAccount('euros@acme.example', '--currency', 'EUR')
    write('country,mcc,mnc,network,price,currency\nGH,,,,0.05,EUR\nGH,,,,0.04,GHS\n', 'rates.csv')
    expect((await gateway.operate(['rates', 'import', join(folder, 'rates.csv'), '--yes'])).code).toBe(0)
    const { clientId, clientSecret, walletToken } = account
    const sms = createClient({ baseUrl: gateway.url, clientId, clientSecret, walletToken })
    const cost = async () => (await sms.estimateCost({ To: '233241234567', Content: 'Hello' })).Cost
    await gateway.until('the gateway knows the price', async () => (await cost()) === 0.05)
    const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
    await gateway.finalOf(account, Ticket)
    const { stdout, stderr } = await carriers('costs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      currencies: ['EUR', 'GHS'],
      networks: [{ charged: { EUR: 0.05 }, margin: null }],
    })
    expect(stderr).toContain('Customers paid in EUR, GHS, and costs have no currency, so there is no margin.')
  })

  it('says that there is nothing before the first message is charged', async () => {
    const nothing = await onUnusedDatabase()('costs --since 2026-01-01', ENV)
    expect(nothing).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing was charged and no cost is known since 2026-01-01.\n',
    })
  })

  it('refuses a day that there is not', async () => {
    for (const since of ['2026-02-30', 'yesterday', '2026-1-1'])
      expect(await carriers('costs', '--since', since)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Expected a day such as 2026-01-31.'),
      })
  })
})
