import { verifyCallback } from '@wigwag/sdk'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { openSandboxClock } from '../../src/sandbox/clock.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { aPlace } from '../support/bench.ts'
import { useStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { call, openFront, SINGLE, single } from '../support/front.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const nothing = async () => {}

describe.each(['an SQLite file', 'PostgreSQL'] as const)('the clock of a sandbox on %s', (engine) => {
  const store = useStore(engine)
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  async function clockOn(database = store.database, everyMs = 60_000) {
    const real = createMovedClock(epochMs(1_000_000))
    const clock = await openSandboxClock(database, real, everyMs)
    stops.push(() => clock.stop())
    return { clock, real }
  }

  it('goes forward, and a new process goes on from there', async () => {
    const { clock } = await clockOn()
    await clock.forward(DAY, nothing)
    await clock.forward(HOUR, nothing)
    expect(clock.now()).toBe(1_000_000 + DAY + HOUR)
    expect((await clockOn()).clock.now()).toBe(1_000_000 + DAY + HOUR)
  })

  it('takes other processes along', async () => {
    const { clock } = await clockOn()
    const other = await clockOn(store.another(), 20)
    let rang = false
    other.clock.after(HOUR, () => {
      rang = true
    })
    await clock.forward(HOUR, nothing)
    await eventually('the other clock moves', async () => other.clock.ahead() === HOUR)
    other.real.moveTo(other.real.now())
    expect(rang).toBe(true)
  })

  it('adds up what two processes move at once', async () => {
    const { clock } = await clockOn()
    const other = await clockOn(store.another())
    await Promise.all([clock.forward(HOUR, nothing), other.clock.forward(DAY, nothing)])
    expect((await clockOn()).clock.ahead()).toBe(HOUR + DAY)
  })

  it('goes back for nothing', async () => {
    const { clock } = await clockOn()
    await clock.forward(HOUR, nothing)
    for (const ms of [0, -1, Number.NaN, 0.5]) await expect(clock.forward(ms, nothing)).rejects.toThrow()
    expect(clock.ahead()).toBe(HOUR)
  })

  it('fires what is due after a move, in order, and leaves waits on a network alone', async () => {
    const { clock, real } = await clockOn()
    const fired: string[] = []
    clock.after(2 * HOUR, () => fired.push('in two hours'))
    clock.after(HOUR, () => fired.push('in an hour'))
    clock.after(3 * HOUR, () => fired.push('in three hours'))
    clock.after(HOUR, () => fired.push('never'))()
    clock.steady.after(HOUR, () => fired.push('steady'))
    const elapsed = clock.elapsed()
    await clock.forward(2 * HOUR, nothing)
    real.moveTo(real.now())
    expect(fired).toEqual(['in an hour', 'in two hours'])
    expect(clock.elapsed()).toBe(elapsed)
    real.moveTo(epochMs(real.now() + HOUR))
    expect(fired).toEqual(['in an hour', 'in two hours', 'steady', 'in three hours'])
  })

  it('ends no lease that is held, and revives none that has ended', async () => {
    const { clock } = await clockOn()
    const leases = [0, clock.now() - 1, clock.now() + 30_000]
    await store.database.write(async ({ run }) => {
      for (const [index, lease] of leases.entries())
        await run('INSERT INTO outbox (id, kind, run_at, lease_until) VALUES ($1, $2, 0, $3)', [
          `job-${index}`,
          'dispatch',
          lease,
        ])
    })
    await clock.forward(DAY, nothing)
    const rows = await store.database.read(({ run }) =>
      run<{ lease: number }>('SELECT lease_until AS lease FROM outbox ORDER BY id', []),
    )
    expect(rows.map(({ lease }) => lease)).toEqual([leases[0], leases[1], (leases[2] ?? 0) + DAY])
  })
})

describe('a move of the clock', () => {
  it('sends what was scheduled for then', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const sendAt = new Date(gateway.clock.now() + 2 * DAY).toISOString()
    const { text } = await call(url, ama, {
      path: `${SINGLE}/scheduled`,
      body: { ...single(), SendAt: sendAt },
    })
    const { Ticket } = JSON.parse(text)
    const status = async () =>
      JSON.parse((await call(url, ama, { path: `/v1/transactions/${Ticket}/status` })).text).Status
    const move = async (by: string) =>
      ama.person.submit(await ama.person.visit(`${url}/sandbox`), { by }, (to) =>
        to.endsWith('/sandbox/clock'),
      )
    expect((await move('1d')).status).toBe(200)
    expect(await status()).toBe('scheduled')
    expect((await move('1d')).status).toBe(200)
    await eventually('it is delivered', async () => (await status()) === 'success')
  })

  it('goes to the next scheduled message, and keeps people signed in', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const sendAt = gateway.clock.now() + 30 * DAY
    const body = { ...single(), SendAt: new Date(sendAt).toISOString() }
    await call(url, ama, { path: `${SINGLE}/scheduled`, body })
    const page = await ama.person.visit(`${url}/sandbox`)
    const after = await ama.person.submit(page, { by: 'next' }, (to) => to.endsWith('/sandbox/clock'))
    expect(after.text).toMatch(/29 days 23 h ahead/)
    expect(gateway.clock.now()).toBeGreaterThanOrEqual(sendAt)
    expect(gateway.clock.now()).toBeLessThan(sendAt + DAY)
    expect((await ama.person.visit(`${url}/wallet`)).url).toBe(`${url}/wallet`)
  })

  it('ends the validity of what waits for a receipt', async () => {
    const { url, gateway, resident } = await openWorld()
    const ama = await resident()
    const { text } = await call(url, ama, { path: SINGLE, body: single('233241200005') })
    const { Ticket } = JSON.parse(text)
    const status = async () =>
      JSON.parse((await call(url, ama, { path: `/v1/transactions/${Ticket}/status` })).text).Status
    await eventually('it is handed over', async () => {
      const [job] = await gateway.database.read(({ run }) =>
        run<{ kind: string; lease: number }>('SELECT kind, lease_until AS lease FROM outbox', []),
      )
      return job?.kind === 'await' && job.lease === 0
    })
    for (let day = 0; day < 4; day++) await gateway.sandboxClock?.forward(DAY, nothing)
    await eventually('it expires', async () => (await status()) === 'expired')
  })

  it('brings the next attempt of a callback, signed with the time that its receiver has', async () => {
    const seen: { headers: Record<string, string>; body: string }[] = []
    const { url, gateway, resident } = await openWorld({
      outbound: async ({ headers, body = new Uint8Array() }) => {
        seen.push({ headers, body: Buffer.from(body ?? '').toString() })
        const status = seen.length < 3 ? 500 : 200
        return { kind: 'reply', status, headers: {}, body: new Uint8Array(), truncated: false, latencyMs: 1 }
      },
    })
    const ama = await resident()
    await call(url, ama, { path: SINGLE, body: { ...single(), CallbackUrl: 'https://shop.example/' } })
    await eventually('the first attempt', async () => seen.length === 1)
    const isPutOff = async () => {
      const [job] = await gateway.database.read(({ run }) =>
        run<{ lease: number }>("SELECT lease_until AS lease FROM outbox WHERE kind = 'callback'", []),
      )
      return job?.lease === 0
    }
    for (const attempt of [2, 3]) {
      await eventually('it is put off', isPutOff)
      await gateway.sandboxClock?.forward(HOUR, nothing)
      await eventually('the next attempt', async () => seen.length === attempt)
    }
    for (const { headers, body } of seen)
      await expect(verifyCallback({ headers, body }, ama.callbackSecret)).resolves.toMatchObject({
        Status: 'success',
      })
  })
})

describe('a gateway that starts again', () => {
  it('never goes back', async () => {
    const database = await aPlace('an SQLite file')
    const first = await openFront(database)
    await first.gateway.sandboxClock?.forward(3 * DAY, nothing)
    await first.close()
    const second = await openFront(database)
    onTestFinished(second.close)
    const { demo } = second.gateway
    if (!demo) throw new Error('a sandbox has a demo account')
    const { text } = await call(second.url, demo, { path: SINGLE, body: single() })
    const { Ticket } = JSON.parse(text)
    const asked = await call(second.url, demo, { path: `/v1/transactions/${Ticket}/status` })
    const created = Date.parse(JSON.parse(asked.text).DateCreated)
    expect(created - Date.now()).toBeGreaterThan(3 * DAY - 60_000)
  })
})
