import { describe, expect, it, onTestFinished } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { enter, ofCode, openDesk, otherSecret, secretOn, signIn } from './desk.ts'

async function placeOn(engine: (typeof ENGINES)[number]): Promise<string> {
  const { url, remove } = await makePlace(engine)
  onTestFinished(remove)
  return url
}

describe.each(ENGINES)('the way into the desk, on %s', (engine) => {
  it('is a link that registers a generator and shows ten recovery codes, once', async () => {
    const desk = await openDesk(await placeOn(engine))
    const link = await desk.invite('ada')
    const person = createPerson()
    const page = await enter(person, link)
    expect(page.text).toContain('Welcome, <bdi>ada</bdi>')
    expect(page.text).toContain('<svg class="qr"')
    expect(page.text).toContain('data-copy="generator-key"')
    const done = await person.submit(page, { code: desk.codeNow(secretOn(page)) }, ofCode)
    expect(done.text.match(/<li>[\w-]{19}<\/li>/g)).toHaveLength(10)
    expect(done.text).toContain('data-copy="codes"')
    expect(done.text).toContain('data-print')
    expect(done.text).toMatch(/download="wigwag-recovery-codes\.txt" href="data:[^"]*Operator%20ada/)
    expect((await person.visit(`${desk.deskUrl}/`)).text).toContain('<h1>Overview</h1>')
    const again = await enter(createPerson(), link)
    expect([again.status, again.text.includes('This link is no good')]).toEqual([410, true])
  })

  it('takes a link from one of several who follow it at once', async () => {
    const desk = await openDesk(await placeOn(engine))
    const link = await desk.invite('ada')
    const people = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const person = createPerson()
        return { person, page: await enter(person, link) }
      }),
    )
    const done = await Promise.all(
      people.map(({ person, page }) => person.submit(page, { code: desk.codeNow(secretOn(page)) }, ofCode)),
    )
    expect(done.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
  })

  it('keeps the link when the code is wrong', async () => {
    const desk = await openDesk(await placeOn(engine))
    const person = createPerson()
    const page = await enter(person, await desk.invite('ada'))
    const wrong = await person.submit(page, { code: desk.codeNow(otherSecret) }, ofCode)
    expect([wrong.status, secretOn(wrong)]).toEqual([422, secretOn(page)])
    const right = await person.submit(wrong, { code: desk.codeNow(secretOn(wrong)) }, ofCode)
    expect(right.status).toBe(200)
  })

  it('takes a code once, of however many that come at once', async () => {
    const desk = await openDesk(await placeOn(engine))
    const { name, secret } = await desk.operator('ada')
    const code = desk.codeNow(secret, 1)
    const tries = await Promise.all(Array.from({ length: 4 }, () => signIn(desk, { name, code })))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })

  it('takes a recovery code once, with or without hyphens', async () => {
    const desk = await openDesk(await placeOn(engine))
    const { name, recoveryCodes } = await desk.operator('ada')
    const [first = '', second = ''] = recoveryCodes
    const tries = await Promise.all(Array.from({ length: 3 }, () => signIn(desk, { name, code: first })))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    const bare = second.replaceAll('-', '').toUpperCase()
    expect((await signIn(desk, { name, code: bare })).status).toBe(200)
  })

  it('says the same of a wrong code and of nobody, and locks both after five', async () => {
    const desk = await openDesk(await placeOn(engine))
    const { name, secret } = await desk.operator('ada')
    const answers = async (name: string) => {
      const statuses: number[] = []
      let text = ''
      for (let n = 0; n < 6; n++) {
        const tried = await signIn(desk, { name, code: desk.codeNow(otherSecret) })
        statuses.push(tried.status)
        text = wordsOf(tried.text)
      }
      return { statuses, text }
    }
    const known = await answers(name)
    expect(known.statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect(await answers('nobody')).toEqual(known)
    expect((await signIn(desk, { name, code: desk.codeNow(secret, 1) })).status).toBe(429)
    const failures = await desk.gateway.database.read(({ run }) =>
      run('SELECT sum(failures) AS count FROM audit_failures WHERE action = $1', ['operator.sign-in-failed']),
    )
    expect(Number((failures[0] as { count: number }).count)).toBe(13)
  })

  it('is closed to who has ended: no session, no code, no link', async () => {
    const desk = await openDesk(await placeOn(engine))
    const { name, person, secret, recoveryCodes } = await desk.operator('ada')
    const bob = await desk.invite('bob')
    await desk.gateway.operators.end('ada')
    await desk.gateway.operators.end('bob')
    expect((await person.visit(`${desk.deskUrl}/`)).url).toContain('/sign-in')
    expect((await signIn(desk, { name, code: desk.codeNow(secret, 1) })).status).toBe(401)
    expect((await signIn(desk, { name, code: recoveryCodes[0] ?? '' })).status).toBe(401)
    expect((await enter(createPerson(), bob)).status).toBe(410)
  })
})

/** The words of a page's main part, without parts that differ from load to load. */
function wordsOf(text: string): string {
  return text.slice(text.indexOf('<main')).replace(/<[^>]*>/g, ' ')
}
