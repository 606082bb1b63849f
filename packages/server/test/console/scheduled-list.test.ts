import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { localTime } from '../../src/kernel/time/zones.ts'
import type { Page } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { keyOf, press, wordsOf } from './forms.ts'

const MANY = '/send/many'
const DAY = 86_400_000

const list = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => String(233_240_100_006 + 7 * (from + index))).join('\n')

/** A day in Ghana's neighbour, whose clocks are an hour ahead of UTC. */
const ZONE = 'Africa/Lagos'
const tomorrowAtNine = () => `${localTime(Date.now() + DAY, ZONE).slice(0, 10)}T09:00`

async function open(world: World) {
  const ama = await world.resident()
  const form = await ama.person.visit(`${world.url}${MANY}`)
  const check = (values: Record<string, string> = {}) =>
    press(ama.person, form, MANY, {
      From: 'WIGWAG',
      Content: 'We open at 9',
      list: list(25),
      SendAt: tomorrowAtNine(),
      Zone: ZONE,
      ...values,
    })
  const go = (page: Page) => press(ama.person, page, MANY, { do: 'send' })
  return { ama, form, check, go }
}

async function statuses(world: World, { accountId }: Resident): Promise<Record<string, number>> {
  const rows = await world.gateway.database.read(({ run }) =>
    run<{ status: string; count: number }>(
      'SELECT status, count(*) AS count FROM messages WHERE account_id = $1 GROUP BY status',
      [accountId],
    ),
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

describe.each(ENGINES)('a list that is scheduled, on %s', (engine) => {
  it('is confirmed by the clocks there and in UTC, waits as one list, and is cancelled whole', async () => {
    const world = await openWorld({ database: await aPlace(engine) })
    const { ama, check, go } = await open(world)
    const checked = await check()
    const day = tomorrowAtNine().slice(0, 10)
    const said = `${day} 09:00 Africa/Lagos, which is ${day} 08:00 UTC`
    expect(wordsOf(checked)).toContain(`Not now: at ${said}.`)
    expect(wordsOf(checked)).toContain('Schedule 25 for GHS 1.05')
    const scheduled = await go(checked)
    expect(new URL(scheduled.url).pathname).toBe('/scheduled')
    expect(wordsOf(scheduled)).toContain(`Scheduled: it goes out at ${said}.`)
    expect(wordsOf(scheduled)).toMatch(/08:00 25 numbers WIGWAG We open at 9 1\.05/)
    expect(await statuses(world, ama)).toEqual({ scheduled: 25 })

    const [, path = ''] = /href="(\/scheduled\/[\da-f-]+)"/.exec(scheduled.text) ?? []
    const whole = await ama.person.visit(world.url + path)
    expect(wordsOf(whole)).toContain('25 messages that wait together')
    expect(whole.text.match(/\/cancel"/g)).toHaveLength(25)

    const done = await press(ama.person, whole, `${path}/cancel-all`)
    expect(wordsOf(done)).toContain('25 messages cancelled. What was held for them was released.')
    expect(wordsOf(done)).toContain('Nothing waits')
    expect(await statuses(world, ama)).toEqual({ cancelled: 25 })
    expect(wordsOf(await ama.person.visit(`${world.url}/log`))).toContain('cancelled 25 scheduled messages')
    expect(wordsOf(await ama.person.visit(`${world.url}/wallet`))).toContain('Balance GHS 100.00')
    const again = await press(ama.person, whole, `${path}/cancel-all`)
    expect(wordsOf(again)).toContain('Nothing was left to cancel')
  })

  it('is one list beside others of the same minute, and another account can neither see nor cancel it', async () => {
    const world = await openWorld({ database: await aPlace(engine) })
    const { ama, check, go } = await open(world)
    await go(await check())
    const form = await ama.person.visit(`${world.url}${MANY}`)
    const second = await check({ list: list(3, 100), key: keyOf(form) })
    const page = await go(second)
    expect(wordsOf(page)).toMatch(/25 numbers .*3 numbers /)
    const [, first = ''] = /href="(\/scheduled\/[\da-f-]+)"/.exec(page.text) ?? []

    const other = await open(world)
    await other.go(await other.check({ list: list(2) }))
    expect((await other.ama.person.visit(world.url + first)).status).toBe(404)
    const theirs = await other.ama.person.visit(`${world.url}/scheduled`)
    const [, own = ''] = /action="(\/scheduled\/[\da-f-]+)\/cancel-all"/.exec(theirs.text) ?? []
    const forged = { ...theirs, text: theirs.text.replaceAll(own, first) }
    expect((await press(other.ama.person, forged, `${first}/cancel-all`)).status).toBe(404)
    expect(await statuses(world, ama)).toEqual({ scheduled: 28 })

    await press(ama.person, page, `${first}/cancel-all`)
    expect(await statuses(world, ama)).toEqual({ scheduled: 3, cancelled: 25 })
  })

  it('goes out at its time, by itself', async () => {
    let ahead = 0
    const clock = { ...systemClock, now: () => epochMs(systemClock.now() + ahead) }
    const world = await openWorld({ database: await aPlace(engine), clock })
    const { ama, check, go } = await open(world)
    await go(await check())
    ahead = 2 * DAY
    await eventually('all are on phones', async () => (await statuses(world, ama)).success === 25)
  })
})

describe('the time of a list or a message', () => {
  it.each([
    ['2027-03-28T02:30', 'Europe/Berlin', 'there is no 02:30 on 2027-03-28'],
    ['2027-10-31T02:30', 'Europe/Berlin', 'comes twice, at 2027-10-31 00:30 UTC and at 2027-10-31 01:30 UTC'],
    ['2026-12-01T09:00', 'Mars/Olympus', 'Expected a time zone by its name'],
    ['2020-01-01T09:00', 'Africa/Accra', 'Expected a time in the future and at most 90 days ahead'],
  ])('is refused as %s in %s, with words', async (SendAt, Zone, words) => {
    const world = await openWorld()
    const { ama, check } = await open(world)
    const many = await check({ SendAt, Zone })
    expect([many.status, many.text.includes('id="SendAt-error"')]).toEqual([422, true])
    expect(wordsOf(many)).toContain(words)
    const form = await ama.person.visit(`${world.url}/send`)
    const one = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', SendAt, Zone }
    const single = await press(ama.person, form, '/send', one)
    expect(single.status).toBe(422)
    expect(wordsOf(single)).toContain(words)
    expect(await statuses(world, ama)).toEqual({})
  })

  it('is read in UTC where no zone came, and said for one message too', async () => {
    const world = await openWorld()
    const { ama } = await open(world)
    const form = await ama.person.visit(`${world.url}/send`)
    expect(form.text).toMatch(/<select [^>]*name="Zone"[^>]*><option selected>UTC<\/option>/)
    const day = new Date(Date.now() + DAY).toISOString().slice(0, 10)
    const one = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', SendAt: `${day}T09:00` }
    const landed = await press(ama.person, form, '/send', { ...one, Zone: '' })
    expect(wordsOf(landed)).toContain(`Scheduled: it goes out at ${day} 09:00 UTC.`)
    const priced = await press(ama.person, form, '/send', { ...one, Zone: ZONE, do: 'price' })
    expect(wordsOf(priced)).toContain(`That is ${day} 09:00 Africa/Lagos, which is ${day} 08:00 UTC.`)
  })
})
