import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { importNow } from '../support/import-rates.ts'
import { csvRows } from './csv-rows.ts'

async function open() {
  const world = await openWorld()
  const ama = await world.resident('ama')
  return { ...world, ama, visit: (path: string) => ama.person.visit(world.url + path) }
}

describe('the rates page', () => {
  it("shows a country's default price and its networks, and that samples are samples", async () => {
    const { visit } = await open()
    for (const country of ['GH', 'gh']) {
      const { text } = await visit(`/rates?country=${country}`)
      expect(text).toContain('<option value="GH" selected>Ghana</option>')
      expect(text).toContain('Ghana, default price</dt><dd>0.045<small>')
      expect(text).toContain(
        '<th scope="row"><bdi>MTN</bdi></th><td class="nums">620</td><td class="nums">01</td><td class="num">0.042</td>',
      )
      expect(text).toContain('These are sample prices')
    }
  })

  it('lists all countries until one is chosen', async () => {
    const { visit } = await open()
    const { text } = await visit('/rates')
    expect(text).toContain('<a href="/rates?country=NG">Nigeria</a>')
    expect(text).not.toContain(' selected>')
  })

  it('has no price for a country without one, or what is none, and says so', async () => {
    const { visit } = await open()
    for (const country of ['ZZ', 'AQ', 'x', '__proto__', '"><script>'].map(encodeURIComponent)) {
      const { status, text } = await visit(`/rates?country=${country}`)
      expect(status).toBe(200)
      expect(text).toContain('No price for this country.')
      expect(text).not.toContain('"><script>')
      expect(csvRows((await visit(`/rates.csv?country=${country}`)).text)).toHaveLength(1)
    }
  })

  it('has the prices that were imported, in the currency of the wallet alone, guarded in the file', async () => {
    const { gateway, visit } = await open()
    const newId = () => '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'
    const rate = { country: 'GH', price: micros(51_000), currency: 'GHS' }
    await importNow({ ...gateway, clock: systemClock, newId }, [
      rate,
      { ...rate, mcc: '620', mnc: '01', network: '=1+1', price: micros(49_500) },
      { ...rate, currency: 'EUR', price: micros(7_000) },
    ])
    expect(csvRows((await visit('/rates.csv')).text)).toEqual([
      ['country', 'network', 'mcc', 'mnc', 'price', 'currency'],
      ['GH', '', '', '', '0.051', 'GHS'],
      ['GH', "'=1+1", '620', '01', '0.0495', 'GHS'],
    ])
    const { text } = await visit('/rates?country=GH')
    expect(text).not.toContain('sample prices')
    expect(text).toContain('<bdi>=1+1</bdi>')
  })

  it('is for people who have signed in', async () => {
    const { ama, visit } = await open()
    ama.person.cookies.clear()
    for (const path of ['/rates', '/rates.csv']) expect((await visit(path)).url).toContain('/sign-in?next=')
  })
})
