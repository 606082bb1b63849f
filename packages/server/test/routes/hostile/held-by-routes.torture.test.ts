import { expect, it } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { insertSession } from '../../../src/sign-in/portal/sessions.ts'
import { cookiesFor } from '../../assistants/oauth/cookie-jar.ts'
import { createPerson, formsOf, type Person } from '../../assistants/oauth/person.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { ownerIdOf } from '../../support/assistants.ts'
import { aPlace, ENGINES_WITH_FILE } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { callWith } from '../../support/front.ts'
import { basic } from '../../support/harness.ts'
import {
  type Asked,
  clientInThread,
  isTooLong,
  LARGE_BULK,
  longestHold,
  machineNow,
  shownHold,
} from '../../support/holds.ts'

const MOST_MS = 15
/** Each is asked so often, and the shortest hold counts: what holds by its size does so each time. */
const TIMES = 3
const MOST_BYTES = 2 * 2 ** 20 - 1_000
/** They end the session that asks, or take away what is asked for. */
const LAST = /sign-out|start-over/

interface Route {
  method: string
  path: string
}

/** A port, with what may ask everything there. */
interface Site {
  url: string
  routes: Route[]
  person: Person
  ticket: string
  headers: Record<string, string>
}

/** An account with as many messages as two large bulks have, and 500 callbacks that failed. */
async function openLarge(engine: (typeof ENGINES_WITH_FILE)[number]) {
  const desk = await openDesk(await aPlace(engine), {}, { clock: systemClock })
  const account = await desk.account('large', 1e12)
  const headers = { authorization: basic(account), 'x-wallet': `Token ${account.walletToken}` }
  const large = JSON.parse(LARGE_BULK)
  const callbacks = { Recipients: large.Recipients.slice(0, 500), CallbackUrl: 'http://127.0.0.1:9/nobody' }
  let ticket = ''
  for (const body of [large, large, { ...large, ...callbacks }]) {
    const answer = await callWith(desk.url, headers, { path: '/v1/messages/sms/bulk/otm', body })
    expect(answer.status).toBe(200)
    ticket = (JSON.parse(answer.text) as { Ticket: string }[])[0]?.Ticket ?? ''
  }
  await eventually(
    'all have ended',
    async () => {
      const [row] = await desk.gateway.database.read(({ run }) =>
        run<{ count: number }>("SELECT count(*) AS count FROM messages WHERE status = 'pending'", []),
      )
      return row?.count === 0
    },
    300_000,
  )
  return { desk, account, headers, ids: [ticket, account.accountId, 'large@example.com'] }
}

async function consoleOf(
  { gateway, url }: Desk,
  accountId: string,
  headers: Record<string, string>,
): Promise<Site> {
  const person = createPerson()
  const personId = await ownerIdOf(gateway, accountId)
  const session = { personId, accountId, address: '127.0.0.1', state: 'in', proof: 'password' } as const
  const { token } = await gateway.database.write((tx) => insertSession(tx, session, epochMs(Date.now())))
  person.cookies.set('wigwag_portal', token)
  const ticket = await ticketOn(person, `${url}/connections`)
  return { url, routes: routesOf(gateway.app), person, ticket, headers }
}

async function deskOf(desk: Desk): Promise<Site> {
  const { person } = await desk.operator('ada')
  const ticket = await ticketOn(person, `${desk.deskUrl}/operators`)
  return { url: desk.deskUrl, routes: routesOf(desk.gateway.deskApp), person, ticket, headers: {} }
}

async function ticketOn(person: Person, url: string): Promise<string> {
  const page = await person.visit(url)
  const ticket = formsOf(page).find(({ hidden }) => hidden.form_ticket)?.hidden.form_ticket
  if (ticket === undefined) throw new Error(`expected a form at ${url}, got ${page.status}`)
  return ticket
}

function routesOf(app: { routes: readonly Route[] } | undefined): Route[] {
  const shown = (app?.routes ?? []).filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  const once = new Map(shown.map((route) => [`${route.method} ${route.path}`, route]))
  return [...once.values()].sort((a, b) => Number(LAST.test(a.path)) - Number(LAST.test(b.path)))
}

/** The largest requests of a route: for all that it may show, and with bodies as long as they may be. */
function requestsOf({ url, person, ticket, headers }: Site, method: string, address: string): Asked[] {
  const proof = { ...headers, cookie: cookiesFor(person.cookies, url + address), origin: url }
  const asked = (more: Partial<Asked>, type?: string): Asked => ({
    url: url + address,
    method,
    headers: { ...proof, ...(type !== undefined && { 'content-type': type }) },
    ...more,
  })
  if (method === 'GET' || method === 'HEAD')
    return ['', '?Limit=200', '?q=nowhere'].map((query) => asked({ url: url + address + query }))
  const rows = `{"Recipients":[${'0,'.repeat(MOST_BYTES / 2 - 20)}0]}`
  const commas = `form_ticket=${ticket}&list=${','.repeat(MOST_BYTES - 100)}`
  const pairs = `form_ticket=${ticket}${'&a='.repeat(MOST_BYTES / 3 - 100)}`
  return [
    ...[LARGE_BULK, rows].map((body) => asked({ body }, 'application/json')),
    ...[commas, pairs].map((body) => asked({ body }, 'application/x-www-form-urlencoded')),
  ]
}

it.each(ENGINES_WITH_FILE.filter((engine) => engine !== 'SQLite in memory'))(
  'no route holds the thread for more than 15 ms, or for eight parses of a bulk, or 12 MB of fresh memory, whatever it is asked, on %s',
  async (engine) => {
    const { desk, account, headers, ids } = await openLarge(engine)
    const ask = clientInThread()
    const failed: string[] = []
    const held: { what: string; hold: number; tooLong: boolean }[] = []
    let answered = 0
    for (const site of [await consoleOf(desk, account.accountId, headers), await deskOf(desk)]) {
      for (const { method, path } of site.routes) {
        const addresses = path.includes(':') ? ids.map((id) => path.replace(/:\w+/g, id)) : [path]
        for (const request of addresses.flatMap((address) => requestsOf(site, method, address))) {
          const holds: number[] = []
          let status = 0
          while (holds.length < TIMES)
            holds.push(
              await longestHold(async () => {
                status = await ask(request)
              }),
            )
          const hold = Math.min(...holds)
          const size =
            request.body === undefined ? '' : ` ${request.headers['content-type']} ${request.body.slice(-20)}`
          const what = `${status} ${method} ${request.url.slice(site.url.length)}${size}`
          if (status >= 500) failed.push(what)
          if (status === 200) answered++
          if (hold > MOST_MS / 2) {
            const now = machineNow()
            held.push({
              what: `${what}: ${shownHold({ hold, ...now })}`,
              hold,
              tooLong: isTooLong({ hold, ...now }, MOST_MS),
            })
          }
        }
      }
    }
    const longest = held.sort((a, b) => b.hold - a.hold).slice(0, 20)
    console.log(`longest holds on ${engine}, in ms:\n${longest.map(({ what }) => what).join('\n')}`)
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(100)
    expect(held.flatMap(({ what, tooLong }) => (tooLong ? [what] : []))).toEqual([])
  },
  1_200_000,
)
