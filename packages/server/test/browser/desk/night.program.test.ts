import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeCarrier } from '../../../../smpp/test/peers.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { markLow } from '../../../src/money/index.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { ENGINES } from '../../support/bench.ts'
import { makePlace } from '../../support/engine.ts'
import { call, SINGLE, single } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'

const browser = await shareBrowser()

type Night = Awaited<ReturnType<typeof openNight>>

/**
 * On PostgreSQL the night is that of two gateways, and the desk is the one of that which was not asked to send.
 * North took a message and went down without an answer, south took the next one, and a wallet is low.
 */
async function openNight(engine: (typeof ENGINES)[number]) {
  const place = await makePlace(engine)
  onTestFinished(place.remove)
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-night-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // A receipt would end what it never answered.
  const north = await fakeCarrier({ silentPercent: 100, forgetPercent: 100 })
  const plan = {
    carriers: {
      north: { url: `smpp://demo@127.0.0.1:${north.port}`, passwordEnv: 'NORTH' },
      south: { url: 'simulator:' },
    },
    routes: [{ prefix: '', carriers: [{ name: 'north' }, { name: 'south', priority: 2 }] }],
  }
  writeFileSync(join(folder, 'carriers.json'), JSON.stringify(plan))
  const carrier = { given: 'file:./carriers.json', folder, variables: () => ({ NORTH: 'demo' }) }
  let later = 0
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later }
  const desk = await openDesk(place.url, { carrier }, { clock })
  const { carriers, database, operator } = desk.gateway

  const acme = await desk.account('acme', 5_000_000)
  await operator.warn(acme.accountId, micros(20_000_000))
  await call(desk.url, acme, { path: SINGLE, body: single() })
  await expect.poll(() => north.taken.length).toBe(1)
  await north.close()
  const states = async () => (await carriers.reports()).flatMap((report) => report.carriers)
  await expect.poll(states).toContainEqual(expect.objectContaining({ carrier: 'north', kind: 'away' }))
  await expect.poll(async () => (await carriers.uncertain(1)).total).toBe(1)
  await call(desk.url, acme, { path: SINGLE, body: single() })
  const delivered = "SELECT id FROM messages WHERE status = 'success'"
  await expect.poll(() => database.read(({ run }) => run(delivered, []))).toHaveLength(1)
  const mark = () => database.write((tx) => markLow(tx, systemClock.now()))
  await mark()
  const there = engine === 'PostgreSQL' ? await openDesk(place.url, { carrier }, { clock }) : desk
  const gateways = new Set([desk, there]).size
  await expect.poll(async () => (await carriers.reports()).length).toBe(gateways)
  return {
    desk: there,
    gateways,
    /**
     * Passes the ten seconds for which the overview is cached, and checks wallets as the gateway does every
     * twenty.
     */
    async wait() {
      await mark()
      later += 10_000
    },
  }
}

async function openPage({ operator, deskUrl }: Desk) {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const value = (await operator('ada')).person.cookies.get('wigwag_desk') ?? ''
  await context.addCookies([{ name: 'wigwag_desk', value, url: deskUrl, httpOnly: true, sameSite: 'Lax' }])
  return context.newPage()
}

/** The walk of docs/operating/desk.md. */
async function walk({ desk, gateways, wait }: Night): Promise<void> {
  const page = await openPage(desk)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (name: string) => page.getByRole('link', { name }).first().click()
  const reads = (text: string | RegExp) => page.getByText(text).first().waitFor()

  await page.goto(desk.deskUrl)
  await reads('Carriers: north away for')
  expect(await page.getByRole('group', { name: 'Gateways' }).locator('tbody tr').count()).toBe(gateways)
  await follow('See north and its routes')
  await follow('Pause')
  await reads('By 1 route, messages go to south instead.')
  await press('Pause this carrier')
  await reads('It is paused')

  await page.goto(desk.deskUrl)
  await reads(/The wallet of acme has GHS 4\.\d+, less than GHS 20\.00\./)
  await follow('See the customer')
  await follow('Add or take back money')
  await page.getByLabel('Amount').fill('20')
  await page.getByLabel('Reference').fill('night-1')
  await press('Go on')
  await press('Add GHS 20.00')
  await reads('GHS 20.00 added')

  await page.goto(desk.deskUrl)
  await reads('1 message was never answered by north.')
  await follow('See them and decide')
  await page.getByRole('checkbox').check()
  await press('Not delivered')
  await press('Decide: failed')
  await reads('1 message was decided.')

  await wait()
  await page.goto(desk.deskUrl)
  await reads('All is well.')
}

describe('the overview on a bad night', () => {
  it.each(ENGINES)(
    'leads from what is wrong to what is done about it, until all is well, on %s',
    async (engine) => walk(await openNight(engine)),
  )
})
