import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { around } from '../../src/delivery/carrier.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { inspect } from '../../src/operate/doctor/index.ts'
import { wordsOf } from '../console/forms.ts'
import { type Desk, openDesk } from '../desk/desk.ts'
import { openWebhook } from '../events/webhook.ts'
import { startSmtp } from '../mail/smtp.ts'
import { startReceiver } from '../platform/outbound/receiver.ts'
import { eventually } from '../support/eventually.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { call, SINGLE, single } from '../support/front.ts'

/** Something that happens to a gateway with a customer, and the steps of the operator that end it. */
interface Event {
  name: string
  config?: Partial<Config>
  run?: Partial<RunOptions>
  database?: string
  /** The key of the alert. */
  key: RegExp
  /** On the overview. */
  words: RegExp
  happen(day: Day): Promise<void>
  /** One function for each command or press. */
  cure: ((day: Day) => Promise<unknown> | unknown)[]
}

interface Day extends Desk {
  acme: AccountSecrets
  /** On its clock, since it was opened. */
  passed: number
}

const STEP_MS = 5_000
const AT_MOST_MS = 15 * 60_000

const real = await files.statfs(import.meta.dirname)
let isFull = false
const statfs = vi
  .spyOn(files, 'statfs')
  .mockImplementation(async () =>
    isFull ? Object.assign(real, { bavail: 0 }) : Object.assign(real, { bavail: 2 ** 40 / real.bsize }),
  )
syncBuiltinESMExports()
afterAll(() => {
  statfs.mockRestore()
  syncBuiltinESMExports()
})

function folderOf(name: string, at = tmpdir()): string {
  const folder = mkdtempSync(join(at, name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const send = ({ url, acme }: Day, changes: object = {}) =>
  call(url, acme, { path: SINGLE, body: { ...single(), ...changes } })

/** North first, over SMPP; south if it does not take them. */
async function withNorth(options: Parameters<typeof fakeCarrier>[0] = {}) {
  const north = await fakeCarrier(options)
  const folder = folderOf('wigwag-day-')
  const path = join(folder, 'carriers.json')
  const plan = JSON.stringify({
    carriers: {
      north: { url: `smpp://demo@127.0.0.1:${north.port}`, passwordEnv: 'NORTH' },
      south: { url: 'simulator:' },
    },
    routes: [{ prefix: '', carriers: [{ name: 'north' }, { name: 'south', priority: 2 }] }],
  })
  writeFileSync(path, plan)
  const carrier = { given: 'file:./carriers.json', folder, variables: () => ({ NORTH: 'demo' }) }
  return { north, path, plan, config: { carrier } }
}

const stateOf = async ({ gateway }: Day, name: string) =>
  (await gateway.carriers.reports())
    .flatMap(({ carriers }) => carriers)
    .find(({ carrier }) => carrier === name)?.kind

async function upFirst(day: Day): Promise<void> {
  await eventually('north is up', async () => {
    await day.pass(1_000)
    return (await stateOf(day, 'north')) === 'up'
  })
}

async function events(): Promise<Event[]> {
  const killed = await withNorth()
  const silent = await withNorth({ silentPercent: 100, forgetPercent: 100 })
  const mistyped = await withNorth()
  let rests = 0
  let isThrottling = false
  let receiving = 500
  let ticket = ''
  const { url: receiver } = await startReceiver((_, response) => response.writeHead(receiving).end())
  return [
    {
      name: 'a carrier is killed',
      config: killed.config,
      key: /^carrier:north:away$/,
      words: /Carriers: north away for/,
      async happen(day) {
        await upFirst(day)
        await killed.north.close()
      },
      cure: [(day) => day.gateway.carriers.pause('north')],
    },
    {
      name: 'a carrier throttles',
      run: {
        aroundCarrier: (carrier) =>
          Object.assign(around(carrier, {}), {
            state() {
              if (isThrottling) rests += 3
              return { ...carrier.state(), kind: isThrottling && rests % 2 === 1 ? 'resting' : 'up', rests }
            },
          }),
      },
      key: /^carrier:simulator:throttled$/,
      words: /Carriers: simulator asked for fewer messages/,
      async happen() {
        isThrottling = true
      },
      cure: [
        () => {
          isThrottling = false
        },
        ({ gateway }) => gateway.carriers.reload(),
      ],
    },
    {
      name: 'a carrier never answers a message',
      config: silent.config,
      key: /^uncertain:north$/,
      words: /1 message was never answered by north/,
      async happen(day) {
        await upFirst(day)
        await send(day)
        await eventually('north has it', () => silent.north.taken.length === 1)
        await silent.north.close()
      },
      cure: [
        async ({ gateway }) => {
          const { messages } = await gateway.carriers.uncertain(1)
          for (const { ticket } of messages) await gateway.carriers.settle(ticket, 'failed')
        },
      ],
    },
    {
      name: 'a wallet runs low',
      key: /^wallet[.:]/,
      words: /The wallet of acme has GHS/,
      async happen({ gateway, acme }) {
        await gateway.operator.warn(acme.accountId, micros(20_000_000))
      },
      cure: [({ gateway, acme }) => gateway.operator.credit(acme.accountId, micros(50_000_000), 'bad-day')],
    },
    {
      name: 'a receiver answers 500',
      key: /^receiver:/,
      words: /Callbacks: .*acme/,
      async happen(day) {
        ticket = JSON.parse((await send(day, { CallbackUrl: receiver })).text).Ticket
      },
      cure: [
        () => {
          receiving = 204
        },
        ({ gateway }) => gateway.callbacks.replayOf(ticket),
      ],
    },
    {
      name: 'a sender ID waits',
      key: /^senders$/,
      words: /Sender IDs: /,
      async happen({ gateway, acme }) {
        await gateway.database.write(({ run }) =>
          run(
            "INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, 'ASKED', 'pending', 1)",
            [acme.accountId],
          ),
        )
      },
      cure: [({ gateway, acme }) => gateway.operator.setSender(acme.accountId, 'ASKED', 'approved')],
    },
    {
      name: 'the disk is full',
      database: `file:${join(folderOf('wigwag-day-', FOR_DATABASES), 'wigwag.db')}`,
      key: /^disk$/,
      words: /Disk: 0\.0 GiB free/,
      async happen() {
        isFull = true
      },
      cure: [
        () => {
          isFull = false
        },
      ],
    },
    {
      name: 'the carriers’ file is mistyped',
      config: mistyped.config,
      key: /^carriers:?/,
      words: /Carriers: .*carriers\.json/,
      async happen(day) {
        await upFirst(day)
        writeFileSync(mistyped.path, mistyped.plan.replace(':', ';'))
        await day.gateway.carriers.reload()
      },
      cure: [() => writeFileSync(mistyped.path, mistyped.plan), ({ gateway }) => gateway.carriers.reload()],
    },
  ]
}

/** A line of the table in docs/operating/incidents.md: when it was told, in seconds of the gateway's clock. */
interface Row {
  name: string
  webhook: number
  mail: number
  doctor: number
  overview: boolean
  steps: number
  over: number
}

/** Lets an event happen, and notes when it is noticed, by what, and when it is told to be over. */
async function play(event: Event): Promise<Row> {
  const { events: posted, operatorWebhook } = await openWebhook()
  const smtp = await startSmtp()
  const startedAt = Date.now()
  const config = { ...event.config, operatorWebhook, mail: smtp.mail }
  const desk = await openDesk(event.database, config, event.run)
  const day: Day = {
    ...desk,
    acme: await desk.account('acme', 5_000_000),
    passed: 0,
    async pass(ms) {
      await desk.pass(ms)
      day.passed += ms
    },
  }
  const { person } = await day.operator('ada')
  const overview = async () => wordsOf(await person.visit(`${day.deskUrl}/`))
  const doctor = async () => {
    const settings = { ...loadConfig({ database: event.database ?? ':memory:' }, {}), ...config }
    const now = () => epochMs(startedAt + day.passed)
    const findings = await inspect(day.gateway.database, settings, { quick: true, now })
    return findings.some(({ state, isWrong }) => state === 'fail' || isWrong) ? 1 : 0
  }
  const told = (type: string) =>
    posted.some(({ body }) => body.type === type && event.key.test(String(body.data.key ?? type)))
  const raised = () => told('alert.raised') || told('wallet.low')
  const mailed = () =>
    smtp.arrived.some(({ text }) => event.words.test(text.replace(/=\r\n/g, '').replace(/\r\n/g, ' ')))
  /** Seconds until each is so. */
  async function after(...what: (() => boolean)[]): Promise<number[]> {
    const times: (number | undefined)[] = what.map(() => undefined)
    const from = day.passed
    for (;;) {
      what.forEach((isSo, n) => {
        if (isSo()) times[n] ??= (day.passed - from) / 1_000
      })
      const all = times.filter((time) => time !== undefined)
      if (all.length === what.length) return all
      if (day.passed - from > AT_MOST_MS)
        throw new Error(
          `${event.name}: ${JSON.stringify({ times, told: posted.map(({ text }) => text), mails: smtp.arrived.map(({ text }) => text) })}`,
        )
      await day.pass(STEP_MS)
    }
  }

  await event.happen(day)
  const [webhook = 0, mail = 0] = await after(raised, mailed)
  const [exit, shown] = [await doctor(), event.words.test(await overview())]
  for (const step of event.cure) await step(day)
  const [over = 0] = await after(() => told('alert.over'))
  return { name: event.name, webhook, mail, doctor: exit, overview: shown, steps: event.cure.length, over }
}

const page = readFileSync(new URL('../../../../docs/operating/incidents.md', import.meta.url), 'utf8')
const [, table = ''] = /## A bad day\n[\s\S]*?\n((?:\|.*\n)+)/.exec(page) ?? []
const lines = table
  .split('\n')
  .slice(2, -1)
  .map((line) => line.split('|').map((cell) => cell.trim()))

it('plays a bad day, of which the page tells no better than it is', async () => {
  const rows: Row[] = []
  for (const event of await events()) rows.push(await play(event))
  const written = rows.map(
    ({ name, webhook, mail, doctor, overview, steps, over }) =>
      `| ${name} | ${webhook} s | ${mail} s | ${doctor} | ${overview ? 'yes' : 'no'} | ${steps} | ${over} s |`,
  )
  const told = written.join('\n')
  expect(
    lines.map(([, name]) => name),
    told,
  ).toEqual(rows.map(({ name }) => name))
  for (const [n, row] of rows.entries()) {
    const [, , webhook = '', mail = '', doctor = '', overview = '', steps = '', over = ''] = lines[n] ?? []
    expect(row.webhook, told).toBeLessThanOrEqual(Number.parseInt(webhook, 10))
    expect(row.mail, told).toBeLessThanOrEqual(Number.parseInt(mail, 10))
    expect([String(row.doctor), row.overview ? 'yes' : 'no', String(row.steps)], told).toEqual([
      doctor,
      overview,
      steps,
    ])
    expect(row.over, told).toBeLessThanOrEqual(Number.parseInt(over, 10))
  }
})
