import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { insertCallbacks } from '../../src/callbacks/rows.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { WalletPrincipal } from '../../src/kernel/principal.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { unguarded } from '../../src/kernel/text/csv.ts'
import { openHistory } from '../../src/messages/history/index.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import { insertRows } from '../../src/store/rows.ts'
import { readInbox } from '../../src/web/console/messages/read.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { messageRow } from '../history/message-rows.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE, single } from '../support/front.ts'

const HOUR_MS = 3_600_000

interface Desk extends World {
  ama: Resident
  /** Puts messages into a person's wallet, the first one newest. */
  fill(owner: Resident, messages: readonly Partial<MessageRow>[]): Promise<MessageRow[]>
  inbox(q?: string, path?: string): Promise<{ status: number; text: string; url: string }>
}

async function open(): Promise<Desk> {
  const world = await openWorld()
  const ama = await world.resident('ama')
  return {
    ...world,
    ama,
    async fill(owner, messages) {
      const { database } = world.gateway
      const now = Date.now()
      const [wallet] = await database.read(({ run }) =>
        run<{ id: string }>('SELECT id FROM wallets WHERE account_id = $1', [owner.accountId]),
      )
      if (!wallet) throw new Error('an account has a wallet')
      const rows = messages.map((fields, index) =>
        messageRow(
          { id: wallet.id, accountId: owner.accountId },
          { createdAt: epochMs(now - 60_000 - index * 1_000), ...fields },
        ),
      )
      await database.write((tx) => insertRows(tx, tx.t.messages, rows))
      return rows
    },
    inbox: (q = '', path = '/messages') =>
      ama.person.visit(`${world.url}${path}${q === '' ? '' : `?q=${encodeURIComponent(q)}`}`),
  }
}

const ticketsIn = (text: string) => [...text.matchAll(/<tr role="row" id="m-([^"]+)"/g)].map(([, id]) => id)
const ids = (rows: readonly MessageRow[]) => rows.map(({ id }) => id)

describe('the inbox', () => {
  it('has the newest messages, older ones behind a link, and the way back', async () => {
    const { ama, fill, inbox, url } = await open()
    const rows = await fill(
      ama,
      Array.from({ length: 65 }, () => ({})),
    )
    const first = await inbox()
    expect(ticketsIn(first.text)).toEqual(ids(rows.slice(0, 60)))
    expect(first.text).toContain(
      `<tbody role="rowgroup" id="rows" data-live="/messages/live" data-last="${rows[0]?.id}">`,
    )
    const [, older = ''] =
      /<a id="older" href="(\/messages\?cursor=[^"]+)">Older messages</.exec(first.text) ?? []
    const second = await ama.person.visit(url + older)
    expect(ticketsIn(second.text)).toEqual(ids(rows.slice(60)))
    expect(second.text).toContain('<a href="/messages">Newest messages</a>')
    expect(second.text).not.toMatch(/data-live|Older messages|id="live"|id="arrivals"/)
  })

  it('keeps the filter in every link, and the chips set the status alone', async () => {
    const { ama, fill, inbox } = await open()
    const rows = await fill(
      ama,
      Array.from({ length: 70 }, (_, index) => ({ sender: index % 7 === 0 ? 'Other' : 'WIGWAG' })),
    )
    const { text } = await inbox('status:delivered from:WIGWAG')
    expect(ticketsIn(text)).toEqual(ids(rows.filter(({ sender }) => sender === 'WIGWAG')).slice(0, 60))
    const q = encodeURIComponent('status:delivered from:WIGWAG')
    expect(text).toContain(`href="/messages/${rows[1]?.id}?q=${q}"`)
    expect(text).toContain(`data-live="/messages/live?q=${q}"`)
    expect(text).toContain(`href="/messages.csv?q=${q}"`)
    expect(text).toMatch(/href="\/messages\?q=from%3AWIGWAG" *>All</)
    expect(text).toContain(`href="/messages?q=${encodeURIComponent('from:WIGWAG status:pending')}"`)
    expect(text).toMatch(/aria-current="true"><svg[^>]*><use href="#i-disc"\/><\/svg>Delivered</)
    expect(text).not.toContain('Older messages')
  })

  it('takes a sender ID in other letters, large or small, for the account’s own', async () => {
    const { ama, fill, inbox } = await open()
    const rows = await fill(ama, [{}, {}])
    expect(ticketsIn((await inbox('from:wigwag')).text)).toEqual(ids(rows))
  })

  it('shows each message’s callback, of its own wallet alone', async () => {
    const { ama, fill, inbox, gateway, resident } = await open()
    const kofi = await resident('kofi')
    const callbackUrl = 'https://receiver.example/hook'
    const [given, waits] = await fill(ama, [{ callbackUrl }, { callbackUrl, status: 'pending' }])
    if (!given || !waits) throw new Error('there are two messages')
    const { id, accountId, walletId, createdAt } = given
    const row = { accountId, walletId, messageId: id, url: callbackUrl, createdAt }
    await gateway.database.write((tx) =>
      insertCallbacks(tx, [
        { ...row, id, state: 'dead' },
        { ...row, id: waits.id, messageId: waits.id, walletId: kofi.accountId, state: 'delivered' },
      ]),
    )
    const { text } = await inbox()
    expect(text.match(/Given up|Retrying|not yet/g)).toEqual(['Given up', 'not yet'])
  })

  it('counts today from the running totals, without a look at the messages', async () => {
    const { ama, inbox, url, fill } = await open()
    await fill(ama, [{ createdAt: epochMs(Date.now() - 1_000) }])
    for (let index = 0; index < 3; index++) await call(url, ama, { path: SINGLE, body: single() })
    await call(url, ama, { path: SINGLE, body: single('233241200001') })
    await eventually('all are final', async () => {
      const { text } = await inbox()
      return text.includes('Today: 4 sent, 3 delivered, 1 not delivered, 0 pending, GHS\u00a00.126')
    })
  })

  it('opens the message of a pasted ticket', async () => {
    const { ama, inbox, url } = await open()
    const ticket = '01A1F8B2-7C3D-7E4F-8A5B-6C7D8E9F0A1B'
    for (const path of ['/messages', '/messages.csv']) {
      const response = await ama.person.send(`${url}${path}?q=${ticket}`)
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        `/messages/${ticket.toLowerCase()}`,
      ])
    }
    expect((await inbox()).status).toBe(200)
  })
})

describe('a filter that is wrong', () => {
  it('shows nothing, offers the nearest, and never falls back to another list', async () => {
    const { ama, fill, inbox } = await open()
    const rows = await fill(ama, [{}, {}])
    for (const path of ['/messages', '/messages.csv']) {
      const { status, text } = await inbox('form:WIGWAG', path)
      expect(status).toBe(422)
      expect(text).toContain('There is no filter “form:”.')
      expect(text).toContain('Did you mean <a href="/messages?q=from%3AWIGWAG"><bdi>from:WIGWAG</bdi></a>?')
      expect(text).toContain('aria-invalid="true" aria-describedby="wrong"')
      for (const { id } of rows) expect(text).not.toContain(id)
      expect(text).not.toMatch(/data-live|Export CSV|<table/)
    }
  })

  it('has no message for the live stream either', async () => {
    const { ama, fill, gateway } = await open()
    const [row] = await fill(ama, [{}])
    const { database } = gateway
    const history = openHistory(
      { database, replica: database, clock: systemClock },
      { sandboxClock: undefined, showCarriers: false },
    )
    const source = { queries: history.queries, database, clock: systemClock }
    const principal: WalletPrincipal = {
      accountId: ama.accountId,
      clientId: `person:${ama.accountId}`,
      senders: new Map(),
      wallet: { id: row?.walletId ?? '', currency: 'GHS' },
    }
    const page = { cursor: undefined, limit: 10 }
    expect((await readInbox(source, principal, '', page)).rows).toHaveLength(1)
    for (const q of ['form:WIGWAG', 'status:fialed', row?.id ?? '']) {
      expect(await readInbox(source, principal, q, page)).toMatchObject({ rows: [], next: undefined })
    }
  })

  it('shows what was typed as text', async () => {
    const { inbox, ama, fill } = await open()
    await fill(ama, [{}])
    const { text } = await inbox('"><script>alert(1)</script>:')
    expect(text).not.toContain('<script>alert')
  })
})

describe('a filter that nothing matches', () => {
  it('says which term to drop, with counts', async () => {
    const { ama, fill, inbox } = await open()
    await fill(ama, [{ status: 'failed' }, { status: 'failed' }, { status: 'expired' }, {}])
    const { text, status } = await inbox('status:failed from:AZMERA since:2d')
    expect(status).toBe(200)
    expect(text.replaceAll(/<[^>]+>/g, '')).toContain(
      'No message matches. 2 match without from:AZMERA, none without status:failed, none without since:2d.',
    )
    expect(text).toContain(`href="/messages?q=${encodeURIComponent('status:failed since:2d')}"`)
    // The list is there for the first message that comes in.
    expect(text).toContain('id="rows" data-live=')
  })

  it('stops counting at 500', async () => {
    const { ama, fill, inbox } = await open()
    await fill(
      ama,
      Array.from({ length: 520 }, () => ({})),
    )
    expect((await inbox('status:failed')).text).toContain('More than 500 match without')
  })

  it('says how far words were looked for, and goes on from there', async () => {
    const { ama, fill, inbox } = await open()
    await fill(ama, [{ content: 'Your order 1042' }, { reference: 'Order-7' }, {}])
    const some = await inbox('ORDER')
    expect(ticketsIn(some.text)).toHaveLength(2)
    expect(some.text).toContain('Looked through all 3 messages.')
    const none = await inbox('parcel status:delivered')
    expect(none.text.replaceAll(/<[^>]+>/g, '')).toContain(
      'No message matches. 3 match without parcel. Or try without status:delivered.',
    )
    expect(none.text).toContain('Looked through all 3 messages that match the other terms.')
    await fill(
      ama,
      Array.from({ length: 5_001 }, (_, index) => ({ createdAt: epochMs(Date.now() - HOUR_MS - index) })),
    )
    const far = await inbox('parcel')
    expect(far.text).toMatch(
      /Looked through the newest 5,000 messages\. <a href="\/messages\?q=parcel&amp;cursor=\w+">Go on from /,
    )
  })
})

describe('the file of messages', () => {
  it('has all that match, page by page, with plain numbers and times', async () => {
    const { ama, fill, inbox } = await open()
    const rows = await fill(
      ama,
      Array.from({ length: 2_050 }, (_, index) => ({ reference: `order-${index}` })),
    )
    const { text } = await inbox('status:delivered', '/messages.csv')
    const lines: Record<string, string>[] = parse(text, { columns: true })
    expect(lines.map(({ ticket }) => ticket)).toEqual(ids(rows))
    expect(lines[0]).toEqual({
      time: new Date(rows[0]?.createdAt ?? 0).toISOString(),
      status: 'success',
      ticket: rows[0]?.id,
      to: '233241234567',
      network: 'MTN',
      from: 'WIGWAG',
      text: 'Hello',
      reference: 'order-0',
      segments: '1',
      cost: '0.042',
      callback: '',
      by: 'api',
      name: 'wc_test',
    })
  })

  it('holds no formula', async () => {
    const bad = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://evil.example";"x")']
    const { ama, fill, inbox } = await open()
    await fill(
      ama,
      bad.map((text) => ({ content: text, reference: text })),
    )
    const lines: Record<string, string>[] = parse((await inbox('', '/messages.csv')).text, { columns: true })
    for (const cells of [lines.map(({ text }) => text), lines.map(({ reference }) => reference)]) {
      expect(cells.every((cell) => /^'[^\t\r]*$|^'[\t\r]'=/.test(cell ?? ''))).toBe(true)
      expect(cells.map((cell = '') => unguarded(cell))).toEqual(bad)
    }
  })

  it('goes on over pages on which no words are found', async () => {
    const { ama, fill, inbox } = await open()
    const old = { createdAt: epochMs(Date.now() - 24 * HOUR_MS), content: 'needle' }
    await fill(ama, [...Array.from({ length: 10_100 }, () => ({})), old])
    const { text } = await inbox('needle', '/messages.csv')
    expect(text.trim().split('\r\n')).toHaveLength(2)
  })
})

describe('another account', () => {
  it('has nothing of these messages on any page, in any file and in any count', async () => {
    const { ama, fill, inbox, resident } = await open()
    const kofi = await resident('kofi')
    const [secret] = await fill(kofi, [{ content: 'KOFIS', recipient: '233200000001', reference: 'KOFIS' }])
    const [own] = await fill(ama, [{ content: 'mine' }])
    for (const path of ['/messages', '/messages.csv']) {
      for (const q of ['', 'KOFIS', 'to:233200000001', 'from:WIGWAG', 'status:delivered', 'since:2d']) {
        const { text } = await inbox(q, path)
        expect(text).not.toContain(secret?.id)
        expect(text.replaceAll('KOFIS', q === 'KOFIS' ? '' : 'KOFIS')).not.toContain('KOFIS')
      }
    }
    expect((await inbox('to:233200000001')).text).toContain('1 matches without')
    expect(ticketsIn((await inbox()).text)).toEqual([own?.id])
  })

  it('that is signed out is led to the sign-in', async () => {
    const { ama, inbox } = await open()
    ama.person.cookies.clear()
    for (const path of ['/messages', '/messages.csv']) {
      expect((await inbox('from:WIGWAG', path)).url).toContain(
        `/sign-in?next=${encodeURIComponent(`${path}?q=from%3AWIGWAG`)}`,
      )
    }
  })
})
