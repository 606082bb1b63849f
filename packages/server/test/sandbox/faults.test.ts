import { createClient, WigwagError } from '@wigwag/sdk'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { type FaultSettings, NO_FAULTS } from '../../src/sandbox/index.ts'
import { openWorld, type Resident, type World, type WorldOptions } from '../assistants/oauth/world.ts'
import { aPlace } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { call, openFront, SINGLE, single } from '../support/front.ts'

interface Posted {
  url: string
}

async function open(options: WorldOptions = {}) {
  const posted: Posted[] = []
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) })
  const world = await openWorld({
    log,
    outbound: async ({ url }) => {
      posted.push({ url })
      return {
        kind: 'reply',
        status: 200,
        headers: {},
        body: new Uint8Array(),
        truncated: false,
        latencyMs: 1,
      }
    },
    ...options,
  })
  const ama = await world.resident()
  return { ...world, ama, posted, lines, marked: () => lines.filter((line) => 'fault' in line) }
}

/** Switches faults on through the form, as a person does. */
async function apply({ url }: World, { person }: Resident, values: Record<string, string>) {
  return person.submit(await person.visit(`${url}/sandbox`), values, (to) => to.endsWith('/sandbox/faults'))
}

/** Pauses of the SDK end at once. */
const RESTLESS = { now: Date.now, sleep: async () => {} }

const sdk = ({ url }: World, { clientId, clientSecret, walletToken }: Resident, by: typeof fetch = fetch) =>
  createClient({
    baseUrl: url,
    clientId,
    clientSecret,
    walletToken,
    retries: 1,
    fetch: by,
    clock: RESTLESS,
  })

async function send({ url }: World, ama: Resident, body: object = single()): Promise<() => Promise<string>> {
  const { Ticket } = JSON.parse((await call(url, ama, { path: SINGLE, body })).text)
  return async () =>
    JSON.parse((await call(url, ama, { path: `/v1/transactions/${Ticket}/status` })).text).Status
}

describe('a fault of the gateway itself', () => {
  it.each([
    ['429', 'rate_limited'],
    ['503', 'unavailable'],
  ])('answers every operation with %s, as the SDK sees it, and no page', async (gateway, code) => {
    const world = await open()
    const { ama, url, marked } = world
    const page = await apply(world, ama, { gateway: 'on', 'gateway-value': gateway })
    expect(page.status).toBe(200)
    expect(page.text).toContain(`this gateway answers ${gateway}`)
    const answer = await call(url, ama, { path: SINGLE, body: single() })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      Number(gateway),
      'application/problem+json',
    ])
    expect(answer.headers.get('retry-after')).toBe('1')
    const failure = await sdk(world, ama)
      .getBalance()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(WigwagError)
    expect(failure).toMatchObject({ code })
    expect(marked()).toContainEqual(expect.objectContaining({ fault: `gateway ${gateway}` }))
    expect((await ama.person.visit(`${url}/messages`)).status).toBe(200)
  })

  it('lets an SDK that tries again through once it is off', async () => {
    const world = await open()
    const { ama, gateway } = world
    await apply(world, ama, { gateway: 'on', 'gateway-value': '503' })
    const heard: number[] = []
    const client = sdk(world, ama, async (...request) => {
      const response = await fetch(...request)
      heard.push(response.status)
      gateway.sandbox?.faults.set(NO_FAULTS)
      return response
    })
    await expect(client.getBalance()).resolves.toBeDefined()
    expect(heard).toEqual([503, 200])
  })
})

describe('a fault at the receivers of callbacks', () => {
  const withCallback = { ...single(), CallbackUrl: 'https://shop.example/' }
  const attempt = async ({ url }: World, ama: Resident) => {
    const { text } = await call(url, ama, { path: '/v1/callbacks' })
    return JSON.parse(text).Items[0]?.Attempts[0]
  }

  it.each(['500', '429', '410'])('answers %s in their place', async (status) => {
    const world = await open()
    const { ama, posted, marked } = world
    await apply(world, ama, { receivers: 'on', 'receivers-value': status })
    await send(world, ama, withCallback)
    await eventually('an attempt', async () => (await attempt(world, ama)) !== undefined)
    expect(await attempt(world, ama)).toMatchObject({ HttpStatus: Number(status) })
    expect(posted).toEqual([])
    expect(marked()).toContainEqual(expect.objectContaining({ fault: `receivers ${status}` }))
  })

  it('lets them time out', async () => {
    const world = await open({ config: { callbackTimeoutMs: 50 } })
    const { ama, posted } = world
    await apply(world, ama, { receivers: 'on', 'receivers-value': 'time out' })
    await send(world, ama, withCallback)
    await eventually('an attempt', async () => (await attempt(world, ama)) !== undefined)
    expect(await attempt(world, ama)).toMatchObject({ ErrorClass: 'timeout' })
    expect(posted).toEqual([])
  })
})

describe('a fault of the carrier', () => {
  it('makes it take longer', async () => {
    const world = await open()
    const { ama, gateway, marked } = world
    await apply(world, ama, { slow: 'on', 'slow-value': '30 s' })
    const status = await send(world, ama)
    await eventually('it is with the carrier', async () => marked().length > 1)
    await eventually('it is kept waiting', () => gateway.sandbox?.faults.keptWaiting() === 1)
    expect(await status()).toBe('pending')
    await gateway.sandboxClock?.forward(30_000, async () => {})
    await eventually('it is delivered', async () => (await status()) === 'success')
  })

  it('loses receipts, and the gateway asks for them later', async () => {
    const world = await open()
    const { ama, gateway, marked } = world
    await apply(world, ama, { lost: 'on', 'lost-value': '100 %' })
    const status = await send(world, ama)
    await eventually('the receipt is lost', async () => marked().some((line) => line.lost === 1))
    expect(await status()).toBe('pending')
    await eventually('the carrier is asked', async () => {
      await gateway.sandboxClock?.forward(2_000, async () => {})
      return (await status()) === 'success'
    })
  })
})

describe('faults', () => {
  it('are off after a restart', async () => {
    const database = await aPlace('an SQLite file')
    const first = await openFront(database)
    first.gateway.sandbox?.faults.set({ ...NO_FAULTS, gateway: '503' })
    const { demo } = first.gateway
    if (!demo) throw new Error('a sandbox has a demo account')
    expect((await call(first.url, demo, { path: '/v1/account/balance' })).status).toBe(503)
    await first.close()
    const second = await openFront(database)
    expect((await call(second.url, demo, { path: '/v1/account/balance' })).status).toBe(200)
    await second.close()
  })

  it('keep no gateway from stopping', async () => {
    const front = await openFront(':memory:')
    const ama = await front.account('ama', 100_000_000)
    front.gateway.sandbox?.faults.set({ ...NO_FAULTS, slowMs: 600_000 })
    await call(front.url, ama, { path: SINGLE, body: single() })
    await eventually('it is with the carrier', async () => {
      const [job] = await front.gateway.database.read(({ run }) =>
        run<{ lease: number }>('SELECT lease_until AS lease FROM outbox', []),
      )
      return (job?.lease ?? 0) > 0
    })
    await front.close()
  })

  it('go all off with one button', async () => {
    const world = await open()
    await apply(world, world.ama, { slow: 'on', 'slow-value': '500 ms', lost: 'on', 'lost-value': '7' })
    expect(world.gateway.sandbox?.faults.settings()).toEqual({ ...NO_FAULTS, slowMs: 500, lostPercent: 7 })
    await apply(world, world.ama, { slow: 'on', 'slow-value': '500 ms', off: 'all' })
    expect(world.gateway.sandbox?.faults.settings()).toEqual(NO_FAULTS)
  })

  it.each<[Record<string, string>, string]>([
    [{ slow: 'on', 'slow-value': 'slowly' }, 'such as 2 s or 500 ms, got “slowly”'],
    [{ slow: 'on', 'slow-value': '31 s' }, 'of at most 30 s'],
    [{ slow: 'on', 'slow-value': '0' }, 'of at most 30 s'],
    [{ lost: 'on', 'lost-value': '101 %' }, 'such as 20 %, got “101 %”'],
    [{ lost: 'on', 'lost-value': '' }, 'such as 20 %, got “”'],
  ])('stay as they are while the form is wrong: %j', async (values, said) => {
    const world = await open()
    const before: FaultSettings = { ...NO_FAULTS, receivers: '500' }
    world.gateway.sandbox?.faults.set(before)
    const page = await apply(world, world.ama, values)
    expect(page.status).toBe(422)
    expect(page.text).toContain(said)
    expect(page.text).toMatch(/aria-invalid="true" aria-describedby="page-(slow|lost)-error"/)
    expect(world.gateway.sandbox?.faults.settings()).toEqual(before)
  })
})
