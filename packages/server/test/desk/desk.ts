import { afterAll, onTestFinished } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { listen } from '../../src/net/server/listen.ts'
import { codeOf, newTotpSecret, stepAt } from '../../src/sign-in/factors/totp.ts'
import type { OperatorRole } from '../../src/store/schema/schema.ts'
import { createMovedClock, TimeLapse } from '../../src/testing/clock.ts'
import { createPerson, type Page, type Person } from '../assistants/oauth/person.ts'
import type { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type Front, openFront } from '../support/front.ts'

/** A gateway whose desk is open, both on real sockets. */
export interface Desk extends Front {
  deskUrl: string
  /** Lets time pass on its clock, which tests alone move, and resolves when all that was due has been done. */
  pass(ms: number): Promise<void>
  /** Lets a second pass, again and again, until there is something to see. */
  until: typeof eventually
  /** Lets time pass until an answer is there. */
  during<T>(work: Promise<T>): Promise<T>
  /** The code of a generator now, or some half minutes later. */
  codeNow(secret: string, later?: number): string
  /** Adds an operator, as the command does. Returns the link. */
  invite(name: string, role?: OperatorRole): Promise<string>
  /** Adds one who has registered a code generator, in a browser that is signed in. */
  operator(name: string, role?: OperatorRole): Promise<Signed>
}

/** A desk on a database of its own, and an operator who acts. */
export async function openDeskOn(engine: (typeof ENGINES)[number], config: Partial<Config> = {}) {
  return openFor(onTestFinished, engine, config)
}

/** A desk that the tests of a block share. Each of them makes its own customer. */
export async function shareDeskOn(engine: (typeof ENGINES)[number], config: Partial<Config> = {}) {
  return openFor(afterAll, engine, config)
}

async function openFor(
  whenOver: (close: () => Promise<void>) => void,
  engine: (typeof ENGINES)[number],
  config: Partial<Config>,
) {
  const place = await makePlace(engine)
  whenOver(place.remove)
  const desk = await openDesk(place.url, config, {}, whenOver)
  const { person } = await desk.operator('ada')
  return { desk, person, visit: (path: string) => person.visit(desk.deskUrl + path) }
}

export interface Signed {
  name: string
  person: Person
  /** Of the generator. */
  secret: string
  recoveryCodes: readonly string[]
}

/** Opens a gateway with its desk, for one test unless told otherwise. */
export async function openDesk(
  database = ':memory:',
  config: Partial<Config> = {},
  options: Parameters<typeof openFront>[2] = {},
  whenOver: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Desk> {
  const moved = createMovedClock(epochMs(Date.now()))
  const clock = options.clock ?? moved
  const trusting = { trustedProxies: ['127.0.0.1/32'], ...config }
  const front = await openFront(database, trusting, { ...options, clock })
  const { gateway } = front
  if (!gateway.deskApp) throw new Error('expected a desk')
  const { requestId } = gateway
  const listener = await listen({ app: gateway.deskApp, host: '127.0.0.1', port: 0, requestId })
  gateway.deskServedAt(listener.url)
  const deskUrl = gateway.deskUrl() ?? ''
  const close = async () => {
    gateway.drain()
    await listener.close(1_000)
    await front.close()
  }
  whenOver(close)

  const turn = () => new Promise((go) => (database === ':memory:' ? setImmediate(go) : setTimeout(go, 3)))
  const { quiet } = new TimeLapse(moved, gateway.idle, turn)
  async function pass(ms: number): Promise<void> {
    await quiet()
    moved.moveTo(epochMs(moved.now() + ms))
    await quiet()
  }

  const codeAt = (secret: string, later = 0) => codeNow(secret, later, clock.now())

  async function invite(name: string, role: OperatorRole = 'act'): Promise<string> {
    const { secret } = await gateway.operators.add(name, role)
    return `${deskUrl}/enter#${secret}`
  }

  return {
    ...front,
    close,
    deskUrl,
    codeNow: codeAt,
    pass,
    async during(work) {
      let isOver = false
      const over = work.finally(() => {
        isOver = true
      })
      while (!isOver) {
        await turn()
        moved.moveTo(epochMs(moved.now() + 50))
      }
      return over
    },
    async until(what, look, withinMs) {
      let looks = 0
      return eventually(
        what,
        async () => {
          if (looks++ > 0) await pass(1_000)
          return look()
        },
        withinMs,
      )
    },
    invite,
    async operator(name, role) {
      const person = createPerson()
      const entered = await enter(person, await invite(name, role))
      const secret = secretOn(entered)
      const done = await person.submit(entered, { code: codeAt(secret) }, ofCode)
      const recoveryCodes = [...done.text.matchAll(/<li>([\w-]{19})<\/li>/g)].map(([, code = '']) => code)
      if (recoveryCodes.length !== 10) throw new Error(`not registered: ${done.status} ${done.text}`)
      return { name, person, secret, recoveryCodes }
    },
  }
}

/** Follows a link, as a person whose browser runs no script would: they paste it. */
export async function enter(person: Person, link: string): Promise<Page> {
  const page = await person.visit(link.replace(/#.*/, ''))
  return person.submit(page, { link })
}

export const ofCode = (action: string) => new URL(action).pathname === '/register/code'

/** The key of a code generator on the page of registration. */
export function secretOn({ text }: Page): string {
  const secret = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1]
  if (secret === undefined) throw new Error(`no key on the page: ${text}`)
  return secret
}

/** The same by the machine’s time. */
export function codeNow(secret: string, later = 0, now = Date.now()): string {
  return codeOf(secret, stepAt(now) + later)
}

/** A key of nobody. */
export const otherSecret = newTotpSecret()

/** Signs in with a code, in a browser of its own unless one is given. */
export async function signIn(
  { deskUrl }: Pick<Desk, 'deskUrl'>,
  values: { name: string; code: string },
  person = createPerson(),
): Promise<Page & { person: Person }> {
  const page = await person.visit(`${deskUrl}/sign-in`)
  const done = await person.submit(page, values, (action) => new URL(action).pathname === '/sign-in')
  return { ...done, person }
}
