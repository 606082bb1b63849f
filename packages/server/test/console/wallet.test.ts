import { micros, ZERO } from '@wigwag/contract'
import { zLedgerPage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { walletPage } from '../../src/web/console/wallet/wallet.tsx'
import { openWorld, type Resident } from '../assistants/oauth/world.ts'
import { aPlace, ENGINES, START } from '../support/bench.ts'
import { settled } from '../support/books.ts'
import { BULK, bulk, call, SINGLE, single } from '../support/front.ts'
import { csvRows } from './csv-rows.ts'
import { comparable } from './reading.ts'

const UNKNOWN = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

const WRONG = [
  ['q=order-1', 'Ticket: expected that of a message, got “order-1”.'],
  ['from=x', 'From: expected a day since 1970, such as 2026-11-21, got “x”.'],
  ['from=2026-02-02&to=2026-02-01', 'From: expected a day no later than 2026-02-01, got 2026-02-02.'],
] as const

async function open(database?: string) {
  const world = await openWorld(database === undefined ? {} : { database })
  const [ama, kofi] = [await world.resident('ama'), await world.resident('kofi')]
  const visit = (who: Resident, path: string) => who.person.visit(world.url + path)
  async function send(who: Resident, to?: string): Promise<string> {
    const { text } = await call(world.url, who, { path: SINGLE, body: single(to) })
    return JSON.parse(text).Ticket
  }
  return { ...world, ama, kofi, visit, send }
}

/** The lines of the table: kind, where it leads, amount, before and after. */
function linesOf(text: string) {
  const rows = text.match(/<tr role="row"><td[\s\S]*?<\/tr>/g) ?? []
  return rows.map((row) => {
    const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell)
    const [, what = '', , amount = '', before = '', after = ''] = cells
    const ticket = /href="\/messages\/([^"]+)"/.exec(row)?.[1]
    return { what: what.replace(/<[^>]+>/g, ''), ticket, amount, before, after }
  })
}

const nextOf = (text: string) =>
  /<a class="end" href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&')

describe.each(ENGINES)('the ledger on %s', (engine) => {
  it('is one chain over its pages and in its file, and ends at the wallet', async () => {
    const { url, gateway, ama, visit } = await open(await aPlace(engine))
    const numbers = Array.from({ length: 130 }, (_, index) =>
      index % 7 === 0 ? '233241200001' : '233241234567',
    )
    await call(url, ama, { path: BULK, body: bulk(numbers) })
    await settled(gateway.database)
    await gateway.operator.credit(ama.email, micros(1_000_000))

    const lines: ReturnType<typeof linesOf> = []
    let pages = 0
    for (let path: string | undefined = '/wallet'; path; pages++) {
      const { text }: { text: string } = await visit(ama, path)
      lines.push(...linesOf(text))
      path = nextOf(text)
    }
    expect(pages).toBe(2)
    expect(lines).toHaveLength(113)
    for (const [index, { before }] of lines.entries()) {
      expect(before).toBe(lines[index + 1]?.after ?? '0.00')
    }
    expect((await visit(ama, '/wallet')).text).toContain(
      `<dt>Posted balance</dt><dd>GHS ${lines[0]?.after}<small>`,
    )

    const [head, ...cells] = csvRows((await visit(ama, '/wallet.csv')).text)
    expect(head).toEqual([
      'time',
      'what',
      'ticket',
      'to',
      'amount',
      'before',
      'after',
      'currency',
      'reference',
    ])
    expect(cells.map(([, , ticket]) => ticket)).toEqual(lines.map(({ ticket = '' }) => ticket))
    const inMicros = (cell = '') => Math.round(Number(cell) * 1_000_000)
    for (const [index, [time = '', what, , to, amount, before, after]] of cells.entries()) {
      expect(new Date(time).toISOString()).toBe(time)
      expect([what, to]).toEqual(what === 'added' ? ['added', ''] : ['charged', '233241234567'])
      expect(inMicros(before) + inMicros(amount)).toBe(inMicros(after))
      expect(before).toBe(cells[index + 1]?.[6] ?? '0')
    }

    const listed = zLedgerPage.parse(
      JSON.parse((await call(url, ama, { path: '/v1/account/ledger?Limit=200' })).text),
    )
    expect(listed.Items.map(({ At, Ticket = '' }) => [At, Ticket])).toEqual(
      cells.map(([time, , ticket]) => [time, ticket]),
    )
  })
})

describe('the wallet page', () => {
  it('says what there is, what is held and what for, and what was spent today', async () => {
    const { gateway, url, ama, visit, send } = await open()
    await send(ama)
    await send(ama, '233201200001')
    await settled(gateway.database)
    await send(ama, '233241200005')
    const SendAt = new Date(Date.now() + 3_600_000).toISOString()
    await call(url, ama, { path: '/v1/messages/sms/scheduled', body: { ...single(), SendAt } })
    const { text } = await visit(ama, '/wallet')
    expect(text).toContain('<dt>Balance</dt><dd>GHS 99.874</dd>')
    expect(text).toContain('<dt>Held</dt><dd>GHS 0.084<small>1 under way, 1 scheduled</small>')
    expect(text).toContain('<dt>Posted balance</dt><dd>GHS 99.958<small>balance + held</small>')
    expect(text).toContain('<dt>Spent today</dt><dd>GHS 0.042<small>1 of 3 sent today</small>')
    expect(linesOf(text)).toMatchObject([
      { what: 'Charged', amount: '− 0.042', before: '100.00', after: '99.958' },
      { what: 'Added', ticket: undefined, amount: '+ 100.00', before: '0.00', after: '100.00' },
    ])
    expect(text).toContain('<span class="soft wide">1 × 0.042</span>')
  })

  it('says for what the operator added and took money, in the file with the currency too', async () => {
    const { gateway, ama, kofi, visit } = await open()
    const { operator } = gateway
    await operator.credit(ama.accountId, micros(25_000_000), 'INV-2026-11 <b>')
    await operator.debit(ama.accountId, micros(5_000_000), 'FEE-1')
    await operator.credit(kofi.accountId, micros(1_000_000), 'OTHERS-1')
    const { text } = await visit(ama, '/wallet')
    expect(text).toContain('by the operator, <bdi>INV-2026-11 &lt;b&gt;</bdi>')
    expect(text).toContain('by the operator, <bdi>FEE-1</bdi>')
    expect(text).not.toContain('OTHERS-1')
    const rows = csvRows((await visit(ama, '/wallet.csv')).text)
    expect(rows.slice(1).map(([, what, , , amount, , , ...more]) => [what, amount, ...more])).toEqual([
      ['taken out', '-5', 'GHS', 'FEE-1'],
      ['added', '25', 'GHS', 'INV-2026-11 <b>'],
      ['added', '100', 'GHS', ''],
    ])
  })

  it('finds the charge for a ticket, and says why another has none', async () => {
    const { gateway, ama, kofi, visit, send } = await open()
    const [charged, failed, other] = [await send(ama), await send(ama, '233201200001'), await send(kofi)]
    await send(ama)
    await settled(gateway.database)
    const held = await send(ama, '233241200005')
    const of = async (q: string) => (await visit(ama, `/wallet?q=${q}`)).text
    expect(linesOf(await of(charged.toUpperCase())).map(({ ticket }) => ticket)).toEqual([charged])
    expect(await of(failed)).toContain('was released, so it has no line here.')
    expect(await of(held)).toContain('is held. It has a line here once it is delivered.')
    const unknown = await of(UNKNOWN)
    expect(unknown).toContain(`This account has no message <code>${UNKNOWN}</code>.`)
    expect(comparable(await of(other), other)).toBe(comparable(unknown, UNKNOWN))
  })

  it('shows the days that are asked for', async () => {
    const { gateway, ama, visit, send } = await open()
    await send(ama)
    await settled(gateway.database)
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    expect(linesOf((await visit(ama, `/wallet?from=${day(0)}&to=${day(0)}`)).text)).toHaveLength(2)
    const before = await visit(ama, `/wallet?to=${day(1)}`)
    expect(before.text).toContain('Nothing was added or charged in these days.')
    expect(csvRows((await visit(ama, `/wallet.csv?to=${day(1)}`)).text)).toHaveLength(1)
    expect((await visit(ama, `/wallet?from=${day(6)}`)).text).toContain('aria-current="true">7 days</a>')
  })

  it('shows nothing in the place of what is not clear, and keeps what was typed', async () => {
    const { ama, visit } = await open()
    for (const [query, said] of WRONG) {
      for (const path of ['/wallet', '/wallet.csv']) {
        const { status, text } = await visit(ama, `${path}?${query}`)
        expect(status).toBe(422)
        expect(text).toContain(said)
        for (const value of new URLSearchParams(query).values()) expect(text).toContain(`value="${value}"`)
        expect(linesOf(text)).toEqual([])
      }
    }
  })

  it('says when an address is no page of it', async () => {
    const { ama, kofi, gateway, url, visit } = await open()
    await call(url, ama, { path: BULK, body: bulk(Array.from({ length: 70 }, () => '233241234567')) })
    await settled(gateway.database)
    const theirs = nextOf((await visit(ama, '/wallet')).text) ?? ''
    expect(theirs).toContain('cursor=')
    for (const [who, path] of [
      [kofi, theirs],
      [ama, '/wallet?cursor=x'],
    ] as const) {
      const { status, text } = await visit(who, path)
      expect(status).toBe(422)
      expect(text).toContain('This is not the address of a page of this ledger.')
    }
  })

  it("shows nothing of another account's wallet, on the page or in the file", async () => {
    const { gateway, ama, kofi, visit, send } = await open()
    const ticket = await send(ama, '233241234569')
    await settled(gateway.database)
    for (const path of ['/wallet', '/wallet.csv']) {
      expect((await visit(ama, path)).text).toContain(ticket)
      for (const query of ['', `?q=${ticket}`]) {
        const text = (await visit(kofi, path + query)).text
          .replaceAll(`>${ticket}<`, '')
          .replaceAll(`"${ticket}"`, '')
        expect(text.replaceAll(`q=${ticket}`, '')).not.toMatch(new RegExp(`${ticket}|233241234569`))
      }
      kofi.person.cookies.clear()
      expect((await visit(kofi, path)).url).toContain('/sign-in?next=')
      await kofi.person.submit(await visit(kofi, path), { email: kofi.email, password: kofi.password })
    }
  })

  it('says how money is added to an empty one', async () => {
    const { gateway, ama, visit } = await open()
    await gateway.database.write(async ({ run }) => {
      await run('DELETE FROM ledger', [])
      await run('UPDATE wallets SET posted = 0, entries = 0', [])
    })
    const { text } = await visit(ama, '/wallet')
    expect(text).toContain(`wigwag wallet credit ${ama.accountId} --amount 50`)
    expect(text).toContain('No money was added yet.')
    expect(csvRows((await visit(ama, '/wallet.csv')).text)).toHaveLength(1)
  })

  it('says below which amount it is low, and when it is', async () => {
    const { gateway, ama, kofi, visit } = await open()
    const hint = 'The wallet runs low.'
    expect((await visit(ama, '/wallet')).text).not.toMatch(/low below|The wallet runs low/)
    await gateway.operator.warn(ama.email, micros(1))
    const enough = (await visit(ama, '/wallet')).text
    expect(enough).toContain('low below')
    expect(enough).not.toContain(hint)
    await gateway.operator.warn(ama.email, micros(1_000_000_000_000))
    const low = (await visit(ama, '/wallet')).text
    expect(low).toContain(hint)
    expect(low).toContain('the account <bdi>ama</bdi>')
    expect((await visit(kofi, '/wallet')).text).not.toContain(hint)
  })

  it('leads to the operator where there is no sandbox', () => {
    const none = { key: 'total', sent: 0, delivered: 0, failed: 0, pending: 0, spend: ZERO }
    const open = { pending: 0, scheduled: 0, more: false }
    const page = walletPage({
      refused: 0,
      operator: { name: 'Acme SMS', contact: 'mailto:help@acme.example' },
      standing: {
        currency: 'GHS',
        posted: 0,
        held: 0,
        available: 0,
        warnBelow: undefined,
        entries: 0,
        open,
        today: none,
      },
      typed: { q: '', from: '', to: '' },
      cursor: undefined,
      found: { items: [], next: undefined },
      now: epochMs(START),
      account: { id: 'a', name: 'Ama' },
      mayBuild: true,
      sandbox: false,
    }).toString()
    expect(page).toContain(
      'Ask <bdi>Acme SMS</bdi> (<a href="mailto:help@acme.example">help@acme.example</a>) to add money to the account <bdi>Ama</bdi>.',
    )
    expect(page).not.toContain('wigwag wallet credit')
  })
})
