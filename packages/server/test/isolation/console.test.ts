import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { insertSession } from '../../src/sign-in/portal/sessions.ts'
import { comparable } from '../console/reading.ts'
import { ownerIdOf } from '../support/assistants.ts'
import type { Bench } from '../support/bench.ts'
import { openTwoAccounts, type Resident } from './world.ts'

/** Paths of the console that serve the same to everybody. */
const NOT_ABOUT_AN_ACCOUNT = ['/', '/sign-in', '/assets/:name', '/theme', '/open']
const CONSOLE =
  /^\/(messages|send|scheduled|insights|wallet|alerts|sender-ids|rates|developers|callbacks|keys|connections|people|you|log|sandbox)(?=[/.]|$)/
const NOBODYS = '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'

/** Every path of the console, as it is mounted, so that a new page or form is in the matrix by itself. */
function pathsOf({ app }: Bench, wanted: 'GET' | 'POST'): string[] {
  const paths = app.routes.flatMap(({ method, path }) =>
    method === wanted && CONSOLE.test(path) && !NOT_ABOUT_AN_ACCOUNT.includes(path) ? [path] : [],
  )
  return [...new Set(paths)]
}

/** Signs an account's person in, and asks as their browser would. */
async function visitor(bench: Bench, { secrets }: Resident) {
  const session = {
    personId: await ownerIdOf(bench, secrets.accountId),
    accountId: secrets.accountId,
    address: '192.0.2.1',
    state: 'in',
    proof: 'password',
  } as const
  const { token } = await bench.database.write((tx) => insertSession(tx, session, epochMs(bench.now())))
  let cookie = `wigwag_portal=${token}`
  async function visit(path: string) {
    const response = await bench.call('GET', path, { cookie })
    const stream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (stream) await response.body?.cancel()
    return { status: response.status, text: stream ? '' : await response.text(), response }
  }
  const first = await visit('/connections')
  cookie += `; ${first.response.headers.get('set-cookie')?.split(';')[0]}`
  const ticket = /name="form_ticket" value="([^"]+)"/.exec((await visit('/connections')).text)?.[1] ?? ''
  return {
    visit,
    async post(path: string, fields: Record<string, string> = {}) {
      const body = new URLSearchParams({ ...fields, form_ticket: ticket })
      const request = new Request(`http://gateway.invalid${path}`, {
        method: 'POST',
        headers: { cookie },
        body,
      })
      const response = await bench.app.fetch(request)
      return { status: response.status, text: await response.text() }
    },
  }
}

describe('the pages of the console', () => {
  it('show an account its own things and nothing of another’s', async () => {
    const { bench, residents } = await openTwoAccounts()
    const [first, second] = residents
    const { about } = first
    const { visit } = await visitor(bench, second)
    const { visit: visitAsFirst } = await visitor(bench, first)
    const pages = pathsOf(bench, 'GET')
    expect(pages.length).toBeGreaterThan(12)
    const itsOwn = [about.recipient, about.ticket, about.scheduled, about.callback, 'first: text', 'FIRST']
    for (const page of pages.filter((path) => !path.includes(':'))) {
      const { status, text } = await visit(page)
      expect(status, page).toBe(200)
      for (const mark of itsOwn) expect(text.includes(mark), `${mark} on ${page}`).toBe(false)
    }
    const seen = (await visitAsFirst('/messages')).text
    expect(seen).toContain('first: text of delivered')
  })

  it('answer for what is another account’s as for what never was', async () => {
    const { bench, residents } = await openTwoAccounts()
    const [{ about }, second] = residents
    const { visit } = await visitor(bench, second)
    for (const page of pathsOf(bench, 'GET').filter((path) => path.includes(':'))) {
      for (const id of [about.ticket, about.scheduled, about.callback]) {
        const foreign = await visit(page.replace(/:\w+/, id))
        const unknown = await visit(page.replace(/:\w+/, NOBODYS))
        expect([foreign.status, comparable(foreign.text, id)], page).toEqual([
          404,
          comparable(unknown.text, NOBODYS),
        ])
      }
    }
  })

  it('change nothing of another account’s', async () => {
    const { bench, residents } = await openTwoAccounts()
    const [{ about, secrets }, second] = residents
    const { post } = await visitor(bench, second)
    const everything = async () =>
      JSON.stringify(
        await bench.database.read(async ({ run }) => [
          await run('SELECT * FROM messages WHERE account_id = $1 ORDER BY id', [secrets.accountId]),
          await run('SELECT * FROM callbacks WHERE account_id = $1 ORDER BY id', [secrets.accountId]),
          await run('SELECT * FROM wallets WHERE account_id = $1', [secrets.accountId]),
          await run('SELECT * FROM clients WHERE account_id = $1', [secrets.accountId]),
          await run('SELECT * FROM connections WHERE account_id = $1 ORDER BY id', [secrets.accountId]),
          await run('SELECT id, epoch, attempts, run_at FROM outbox ORDER BY id', []),
        ]),
      )
    const before = await everything()
    const [connection] = await bench.connections.list(secrets.accountId)
    for (const path of pathsOf(bench, 'POST').filter((path) => path.includes(':'))) {
      for (const id of [about.ticket, about.scheduled, about.callback, about.key, connection?.id ?? '']) {
        const foreign = await post(path.replace(/:\w+/, id), { Status: 'success' })
        const unknown = await post(path.replace(/:\w+/, NOBODYS), { Status: 'success' })
        expect([foreign.status, comparable(foreign.text, id)], path).toEqual([
          404,
          comparable(unknown.text, NOBODYS),
        ])
      }
    }
    expect(await everything()).toBe(before)
  })

  it('lead a visitor who is not signed in to the sign-in', async () => {
    const { bench } = await openTwoAccounts()
    for (const page of pathsOf(bench, 'GET')) {
      const response = await bench.call('GET', page.replace(/:\w+/, NOBODYS), {})
      const where = response.headers.get('location') ?? ''
      expect([response.status, where.startsWith('/sign-in?next=')], page).toEqual([303, true])
    }
  })
})
