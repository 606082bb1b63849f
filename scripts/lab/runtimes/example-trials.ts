import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, signCallback } from '../../../packages/sdk/src/index.ts'
import { openInbox } from '../../../packages/sdk/src/testing/index.ts'
import { losesAnswer } from './network.ts'
import { snippetWith } from './readme-snippets.ts'
import { Running } from './running.ts'

/** A copy of an example that is installed, and whose README was followed. */
interface Project {
  folder: string
  /** The gateway's export lines, and the port to listen at. */
  env: Record<string, string | undefined>
  /** At the same gateway. */
  sms: Client
  secret: string
  /** Where it listens once it is started. */
  address: string
  /** The output of its command. */
  said: string
  /** Another command of the README. */
  more: string
  start(): Running
}

interface Trial {
  /** The package whose version the table shows. */
  shows: string
  does: string
  /** Typed by a person. */
  input?: string
  /** Adds files before it is built. */
  add?(folder: string): void
  /** The compiler is asked here. The others ask it themselves. */
  compiles?: true
  proves?(project: Project): Promise<void>
}

const receives = (shows: string, does: string, compiles?: true): Trial => ({
  shows,
  does,
  ...(compiles && { compiles }),
  proves: handlesOnce,
})

/** The longest first. */
export const TRIALS: Record<string, Trial> = {
  'codes-next': {
    shows: 'next',
    does: "builds, signs in with a code; takes a callback in the SDK's route",
    add(folder) {
      const place = join(folder, 'app/callbacks')
      mkdirSync(place)
      writeFileSync(join(place, 'route.ts'), snippetWith('export const POST = callbackHandler(({'))
    },
    proves: takesNoForgery,
  },
  playwright: { shows: '@playwright/test', does: 'signs in with a code in a browser', compiles: true },
  worker: { shows: 'workerd', does: 'sends, hears of it, takes no forgery', compiles: true },
  campaign: {
    shows: 'csv-parse',
    does: 'sends to each once, killed in between; names failures',
    input: 'yes\n',
    compiles: true,
    proves: sendsOnce,
  },
  'codes-express': { shows: 'express', does: 'sends and checks codes', compiles: true, proves: sendsCode },
  'receiver-nest': receives('@nestjs/core', 'handles a callback once, takes no forgery'),
  'receiver-fastify': receives('fastify', 'handles a callback once, takes no forgery', true),
  'receiver-hono': receives('hono', 'handles a callback once, takes no forgery', true),
}

async function handlesOnce(project: Project): Promise<void> {
  const { sms, address, start } = project
  const receiver = start()
  try {
    const CallbackUrl = `${address}/callbacks`
    await receiver.listens(CallbackUrl)
    const { Ticket } = await sms.sendSms({
      To: '233241234567',
      Content: 'Hello',
      Reference: 'order-7',
      CallbackUrl,
    })
    await receiver.says('order-7 success')
    const callback = await answered(sms, Ticket, 1)
    await sms.replayCallback(callback)
    await answered(sms, Ticket, 2)
    assert.equal(receiver.said.split('order-7 success').length - 1, 1, receiver.said)
    assert.equal((await fetch(CallbackUrl, { method: 'POST', body: '{}' })).status, 401)
  } finally {
    receiver.end()
  }
}

/** The id of a message's callback, once it was answered so many times. */
async function answered(sms: Client, Ticket: string, times: number): Promise<string> {
  for (;;) {
    const [callback] = (await sms.listCallbacks({ Ticket }).page()).Items
    const statuses = callback?.Attempts.map(({ HttpStatus }) => HttpStatus) ?? []
    if (callback && statuses.length >= times) {
      assert.deepEqual(statuses, Array(times).fill(204))
      return callback.Id
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function takesNoForgery({ address, secret, start }: Project): Promise<void> {
  const app = start()
  try {
    await app.listens(`${address}/codes`)
    const body = JSON.stringify({
      ClientReference: 'order-7',
      Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
      Destination: '233241234567',
      Cost: 0.045,
      BalanceBefore: 100,
      BalanceAfter: 99.955,
      Status: 'success',
    })
    const statusOf = async (key: string) => {
      const headers = { 'content-type': 'application/json', ...(await signCallback(body, key)) }
      return (await fetch(`${address}/callbacks`, { method: 'POST', headers, body })).status
    }
    assert.deepEqual([await statusOf(secret), await statusOf('whsec_Zm9yZ2Vk')], [204, 401])
  } finally {
    app.end()
  }
}

async function sendsCode({ sms, folder, env, address, more, start }: Project): Promise<void> {
  const app = start()
  try {
    await app.listens(`${address}/codes`)
    const inbox = await openInbox(sms)
    await new Running(more, folder, env).ended()
    const { code } = await inbox.waitForMessage({ to: '233241234567', timeout: 60_000 })
    assert.match(code ?? '', /^\d{6}$/)
  } finally {
    app.end()
  }
}

const ROWS = 60

async function sendsOnce({ sms, folder, env, said }: Project): Promise<void> {
  assert.match(said, /4 sent, 1 skipped; \d failures are in list\.csv\.failures\.csv/)

  const numbers = Array.from({ length: ROWS }, (_, at) => `23324123${2000 + at},big-${at},N${at},${at}`)
  writeFileSync(
    join(folder, 'big.csv'),
    ['To,Reference,Name,Points', 'nobody,big-bad,N,1', ...numbers].join('\n'),
  )
  await using network = await losesAnswer(env.WIGWAG_BASE_URL ?? '', ROWS / 2, 'silent')
  const command = 'npm start -- big.csv'
  const killed = new Running(command, folder, { ...env, WIGWAG_BASE_URL: network.url }, 'yes\n')
  await Promise.race([network.kept, killed.ended()])
  killed.end()
  assert(existsSync(join(folder, 'big.csv.state.json')))

  const resumed = await new Running(command, folder, env).ended()
  assert.match(resumed, /was begun at/)
  const sent = new Map<string, number>()
  for await (const { Reference = '' } of sms.searchMessages({ DateFrom: network.since }))
    if (Reference?.startsWith('big-')) sent.set(Reference, (sent.get(Reference) ?? 0) + 1)
  assert.deepEqual([sent.size, Math.max(...sent.values())], [ROWS, 1], resumed)
  const failures = readFileSync(join(folder, 'big.csv.failures.csv'), 'utf8').split('\n')
  assert.equal(failures.filter((line) => line.startsWith('"big-bad","nobody","refused"')).length, 1, resumed)
}
