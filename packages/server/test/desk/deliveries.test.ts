import { describe, expect, it } from 'vitest'
import { fallenRates } from '../../src/delivery/index.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { DAY_MS, HOUR_MS } from '../../src/kernel/time/spans.ts'
import type { Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { openDeskOn } from './desk.ts'

const NOTHING = {
  success: 0,
  undelivered: 0,
  expired: 0,
  rejected: 0,
  failed: 0,
  in5s: 0,
  in30s: 0,
  in2m: 0,
  in10m: 0,
  later: 0,
}

describe.each(ENGINES)('deliveries on %s', (engine) => {
  it('are counted by carrier, country and customer, with how soon their receipts came', async () => {
    const { desk, visit } = await openDeskOn(engine)
    const acme = await desk.account('acme', 5_000_000)
    const send = async (to: string) => {
      const { status } = await call(desk.url, acme, { path: SINGLE, body: single(to) })
      expect(status).toBe(200)
    }
    for (let n = 0; n < 3; n++) await send('233241234567')
    await send('233241200001')
    await send('254712345678')
    const page = await desk.until('what was counted is stored', async () => {
      const words = wordsOf(await visit('/deliveries'))
      return words.includes('Ended 5') ? words : undefined
    })
    expect(page).toContain('Ended 5 Delivered 4 Not delivered 1 Rate 80.0 %')
    expect(page).toMatch(/simulator 5 4 80\.0 % 1 0 0 0 5 s 100\.0 %/)
    expect(page).toMatch(/GH 4 3 75\.0 % 1 0 0 0 5 s 100\.0 % KE 1 1 100\.0 %/)
    expect(page).toMatch(/acme 5 4 1 0 80\.0 %/)
    const ofCarrier = wordsOf(await visit('/carriers/simulator?since=hour'))
    expect(ofCarrier).toContain('Ended 5 Delivered 4 Not delivered 1 Rate 80.0 %')
    const ofCustomer = wordsOf(await visit(`/customers/${acme.accountId}`))
    expect(ofCustomer).toMatch(/GH 4 75\.0 % 4 1 75\.0 % KE 1 100\.0 % 1 0 100\.0 %/)
    const metrics = await (await fetch(`${desk.url}/metrics`)).text()
    expect(metrics).toContain('wigwag_deliveries_total{carrier="simulator",status="success"} 4')
    expect(metrics).toContain('wigwag_receipt_seconds_count{carrier="simulator"} 4')
  })

  it('that fall by a fifth are a carrier’s trouble, and few of them are not', async () => {
    const { desk, visit } = await openDeskOn(engine)
    const now = epochMs(Date.now())
    const hour = now - (now % HOUR_MS)
    const row = (carrier: string, at: number, success: number, undelivered: number) => ({
      ...NOTHING,
      carrier,
      hour: at,
      country: 'GH',
      network: '',
      success,
      undelivered,
    })
    const rows = [
      row('fell', hour - DAY_MS, 95, 5),
      row('fell', hour, 30, 30),
      row('steady', hour - DAY_MS, 95, 5),
      row('steady', hour - HOUR_MS, 54, 6),
      row('few', hour - DAY_MS, 95, 5),
      row('few', hour, 0, 40),
      row('new', hour, 0, 100),
      row('older', hour - 8 * DAY_MS, 100, 0),
      row('older', hour, 0, 100),
    ]
    await desk.gateway.database.write((tx: Tx) => insertRows(tx, tx.t.carrierDeliveries, rows))
    const fallen = await desk.gateway.database.read((tx) => fallenRates(tx, now))
    expect(fallen).toEqual([{ carrier: 'fell', now: 0.5, before: 0.95 }])
    expect(wordsOf(await visit('/'))).toContain(
      'fell delivers 50 % of what ended in this hour and the one before, and 95 % in the week before.',
    )
  })
})
