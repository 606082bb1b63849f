import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { markLow } from '../../../src/money/index.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openDesk } from '../../desk/desk.ts'
import { fakeCarrier } from '../../smpp/peers.ts'
import { ENGINES } from '../../support/bench.ts'
import { makePlace } from '../../support/engine.ts'
import { call, SINGLE, single } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'

const browser = await shareBrowser()

/** The walk that docs/operating/desk.md tells. */
describe('the desk on a bad night', () => {
  it.each(ENGINES)(
    'leads from what is wrong to the button that does something about it, until all is well, on %s',
    async (engine) => {
      const context = await browser.newContext()
      onTestFinished(() => context.close())
      const page = await context.newPage()
      const place = await makePlace(engine)
      onTestFinished(place.remove)
      const folder = mkdtempSync(join(tmpdir(), 'wigwag-night-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const north = await fakeCarrier({ silentPercent: 100 })
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
      const elapsed = () => systemClock.elapsed() + later
      const night = await openDesk(place.url, { carrier }, { clock: { ...systemClock, elapsed } })
      const { person } = await night.operator('ada')
      const value = person.cookies.get('wigwag_desk') ?? ''
      await context.addCookies([
        { name: 'wigwag_desk', value, url: night.deskUrl, httpOnly: true, sameSite: 'Lax' },
      ])

      const acme = await night.account('acme', 5_000_000)
      await night.gateway.operator.warn(acme.accountId, micros(20_000_000))
      const mark = () => night.gateway.database.write((tx) => markLow(tx, systemClock.now()))
      await mark()
      await call(night.url, acme, { path: SINGLE, body: single() })
      await expect.poll(() => north.taken.length).toBe(1)
      await north.close()
      const away = async () => (await night.gateway.carriers.reports()).flatMap(({ carriers }) => carriers)
      await expect.poll(away).toContainEqual(expect.objectContaining({ carrier: 'north', kind: 'away' }))
      await expect.poll(async () => (await night.gateway.carriers.uncertain(1)).total).toBe(1)

      await page.goto(night.deskUrl)
      await page.getByText('Carriers: north away for').waitFor()
      await page.getByRole('link', { name: 'See north and its routes' }).click()
      await page.getByRole('link', { name: 'Pause' }).click()
      await page.getByText('By 1 route, messages go to south instead.').waitFor()
      await page.getByRole('button', { name: 'Pause this carrier' }).click()
      await page.getByText('It is paused').waitFor()

      await page.goto(night.deskUrl)
      await page.getByText('1 message was never answered by north.').waitFor()
      await page.getByRole('link', { name: 'See which they are' }).click()
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Not delivered', exact: true }).click()
      await page.getByRole('button', { name: 'Decide: failed' }).click()
      await page.getByText('1 message was decided.').waitFor()

      await page.goto(night.deskUrl)
      await page.getByText('The wallet of acme has GHS 5.00, less than GHS 20.00.').waitFor()
      await page.getByRole('link', { name: 'See the customer' }).click()
      await page.getByRole('link', { name: 'Add or take back money' }).click()
      await page.getByLabel('Amount').fill('20')
      await page.getByLabel('Reference').fill('night-1')
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByRole('button', { name: 'Add GHS 20.00' }).click()
      await page.getByText('GHS 20.00 added').waitFor()
      await mark()
      // What was found is kept for ten seconds.
      later += 10_000

      await page.goto(night.deskUrl)
      await page.getByText('All is well.').waitFor()
    },
    120_000,
  )
})
