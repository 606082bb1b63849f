import { describe, expect, it } from 'vitest'
import { formsOf } from '../assistants/oauth/person.ts'
import { type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { call } from '../support/front.ts'
import { csvRows } from './csv-rows.ts'
import { press, wordsOf } from './forms.ts'

const world = await shareWorld()
const HOUR = 3_600_000

async function schedule(resident: Resident, hours: number, Content = 'Later'): Promise<string> {
  const SendAt = new Date(Date.now() + hours * HOUR).toISOString()
  const body = { From: 'WIGWAG', To: '233241234567', Content, SendAt }
  const { text } = await call(world.url, resident, { path: '/v1/messages/sms/scheduled', body })
  const { Ticket }: { Ticket: string } = JSON.parse(text)
  return Ticket
}

const statusOf = async (ticket: string) => {
  const [row] = await world.gateway.database.read(({ run }) =>
    run<{ status: string }>('SELECT status FROM messages WHERE id = $1', [ticket]),
  )
  return row?.status
}

describe('the page of scheduled messages', () => {
  it('lists them, the next one due first, with what is held', async () => {
    const ama = await world.resident()
    await schedule(ama, 5, 'second <b>')
    await schedule(ama, 2, 'first')
    const page = await ama.person.visit(`${world.url}/scheduled`)
    expect(wordsOf(page)).toMatch(/233 24 123 4567 WIGWAG first 0\.042 .*WIGWAG second <b> 0\.042/)
    expect(page.text).toContain('second &lt;b&gt;')
  })

  it('says where such messages come from while there is none', async () => {
    const ama = await world.resident()
    const page = await ama.person.visit(`${world.url}/scheduled`)
    expect(wordsOf(page)).toContain('Nothing waits')
    expect(page.text).toContain('href="/send#SendAt"')
  })

  it('shows 60 a page, each message once', async () => {
    const ama = await world.resident()
    await Promise.all(Array.from({ length: 65 }, (_, index) => schedule(ama, 1 + index, `text ${index}`)))
    const first = await ama.person.visit(`${world.url}/scheduled`)
    const [, older = ''] = /href="(\/scheduled\?cursor=[^"]+)"/.exec(first.text) ?? []
    const second = await ama.person.visit(world.url + older)
    const shown = [first, second].map(({ text }) => text.match(/>text \d+</g) ?? [])
    expect(shown.map((texts) => texts.length)).toEqual([60, 5])
    expect(new Set(shown.flat()).size).toBe(65)
  })

  it('cancels a message after a second press, and releases what was held', async () => {
    const ama = await world.resident()
    const ticket = await schedule(ama, 2)
    const page = await ama.person.visit(`${world.url}/scheduled`)
    expect(page.text).toContain('99.958')
    const done = await press(ama.person, page, `/scheduled/${ticket}/cancel`)
    expect(done.url).toBe(`${world.url}/scheduled?done=cancelled`)
    expect(done.text).toContain('100.00')
    expect(wordsOf(done)).toContain('What was held for it was released.')
    expect(await statusOf(ticket)).toBe('cancelled')
    const again = await press(ama.person, page, `/scheduled/${ticket}/cancel`)
    expect(again.url).toBe(`${world.url}/scheduled?done=cancelled`)
  })

  it('says why a message that has gone out was not cancelled', async () => {
    const ama = await world.resident()
    const ticket = await schedule(ama, 2)
    const page = await ama.person.visit(`${world.url}/scheduled`)
    await world.gateway.database.write(({ run }) =>
      run(`UPDATE messages SET status = 'pending' WHERE id = $1`, [ticket]),
    )
    const refused = await press(ama.person, page, `/scheduled/${ticket}/cancel`)
    expect([refused.status, wordsOf(refused).includes('Not cancelled. The message is pending')]).toEqual([
      409,
      true,
    ])
  })

  it('does nothing to a message of another account', async () => {
    const ama = await world.resident()
    const kofi = await world.resident()
    const foreign = await schedule(kofi, 2)
    await schedule(ama, 2)
    const page = await ama.person.visit(`${world.url}/scheduled`)
    const aimed = {
      ...page,
      text: page.text.replaceAll(/\/scheduled\/[\w-]+\/cancel/g, `/scheduled/${foreign}/cancel`),
    }
    const refused = await press(ama.person, aimed, `/scheduled/${foreign}/cancel`)
    expect(refused.status).toBe(404)
    expect(await statusOf(foreign)).toBe('scheduled')
    expect(formsOf(page).some(({ action }) => action.includes(foreign))).toBe(false)
  })

  it('comes as a file, with what a spreadsheet would run made harmless', async () => {
    const ama = await world.resident()
    const ticket = await schedule(ama, 2, '=1+1')
    const { text, headers } = await ama.person.visit(`${world.url}/scheduled.csv`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="scheduled.csv"')
    const [head, line, ...others] = csvRows(text)
    expect(head).toEqual('send_at,ticket,from,to,text,reference,segments,held,created'.split(','))
    expect(line?.slice(1, -1)).toEqual([ticket, 'WIGWAG', '233241234567', "'=1+1", '', '1', '0.042'])
    expect(others).toEqual([])
  })
})
