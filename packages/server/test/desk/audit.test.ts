import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { epochMs, TicketMaker } from '../../src/kernel/ids.ts'
import { insertRows } from '../../src/store/rows.ts'
import { wordsOf } from '../console/forms.ts'
import { openDesk } from './desk.ts'

const newId = new TicketMaker(randomBytes).make

describe('the audit log at the desk', () => {
  it('shows the newest first, filters by the address, and gives the same as a file', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    await desk.operator('bob')
    await desk.account('acme', 1_000_000)
    const all = wordsOf(await person.visit(`${desk.deskUrl}/audit`))
    const order = ['account.create', 'operator.sign-in', 'operator.register', 'operator.add'].map((action) =>
      all.indexOf(` ${action} `),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)

    const ofBob = wordsOf(await person.visit(`${desk.deskUrl}/audit?by=operator%3Abob&action=operator.sign`))
    expect(ofBob).toContain('operator:bob operator.sign-in')
    expect(ofBob).not.toContain('operator:ada operator.sign-in')
    expect(ofBob).not.toContain('operator.register')

    const file = await person.send(`${desk.deskUrl}/audit/file.csv?action=account`)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    const lines = (await file.text()).trim().split('\r\n')
    expect(lines[0]).toBe('"Time","By","Action","Account","Detail"')
    expect(lines.slice(1).every((line) => line.includes(',"account.create",'))).toBe(true)
    expect(lines.length).toBeGreaterThan(1)
  })

  it('says which filter can’t be read, and shows text as text', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const since = await person.visit(`${desk.deskUrl}/audit?since=soon`)
    expect([since.status, wordsOf(since)]).toEqual([
      422,
      expect.stringContaining('Expected 6h, 2d, or a day, got “soon”'),
    ])
    const account = await person.visit(`${desk.deskUrl}/audit?account=%3Cscript%3E`)
    expect([account.status, account.text.includes('<script>')]).toEqual([422, false])
    const nothing = await person.visit(`${desk.deskUrl}/audit?action=nothing`)
    expect(wordsOf(nothing)).toContain('There is nothing of that kind')
  })
})

describe('the pages of the audit log', () => {
  it('go back to the oldest entry, each shown once, with the names of accounts', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const { accountId } = await desk.account('acme', 1_000_000)
    const rows = Array.from({ length: 230 }, (_, index) => {
      const at = epochMs(Date.now() - 1_000 * (300 - Math.floor(index / 3)))
      return {
        id: newId(at),
        at,
        actor: 'operator:ada',
        action: 'sender.approved' as const,
        accountId,
        detail: JSON.stringify({ sender: `S${index}`, senders: ['KENTEBANK', 'ACME'], text: true }),
      }
    })
    await desk.gateway.database.write((tx) => insertRows(tx, tx.t.audit, rows))
    const seen: string[] = []
    let path: string | undefined = '/audit?action=sender'
    let pages = 0
    while (path !== undefined && pages < 9) {
      const { text } = await person.visit(desk.deskUrl + path)
      seen.push(...[...text.matchAll(/<bdi>(S\d+)<\/bdi>/g)].map(([, sender]) => sender ?? ''))
      expect(text).toMatch(new RegExp(`title="${accountId}"><bdi>acme</bdi>`))
      expect(text).toContain('<bdi>KENTEBANK, ACME</bdi>')
      expect(text).not.toContain('[&quot;')
      path = /href="([^"]*)">\s*Older entries/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      pages++
    }
    expect(pages).toBe(3)
    expect(seen).toHaveLength(230)
    expect(new Set(seen).size).toBe(230)
  })
})
