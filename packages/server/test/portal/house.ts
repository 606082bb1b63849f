import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { beforeAll, onTestFinished } from 'vitest'
import { endOfPerson } from '../../src/assistants/index.ts'
import { epochMs, TicketMaker } from '../../src/kernel/ids.ts'
import { Operator } from '../../src/operate/operator-work.ts'
import { followDemo } from '../../src/sandbox/index.ts'
import { siteOf } from '../../src/sign-in/factors/index.ts'
import { codeOf, newTotpSecret, stepAt } from '../../src/sign-in/factors/totp.ts'
import { openSignIn, People } from '../../src/sign-in/portal/index.ts'
import type { AddResult, Registration } from '../../src/sign-in/portal/own-factors.ts'
import type { Self } from '../../src/sign-in/portal/own-sessions.ts'
import type { HashPassword } from '../../src/sign-in/portal/passwords/password-queue.ts'
import type { SignIn } from '../../src/sign-in/portal/wiring.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { BoxSealer, boxesOf } from '../../src/store/secrets/sealing.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { type EngineName, makePlace, open, useStore } from '../support/engine.ts'
import { NOW } from '../support/rows-of.ts'

export const PASSWORD = 'correct horse battery'
export const SITE = siteOf('https://sms.example', 'Wigwag')
export const FROM = { address: '192.0.2.1', browser: 'a browser of tests' }
export const SECOND = 1_000
export const MINUTE = 60 * SECOND

/** How people come in, as two gateways on the same data have it. A clock stands still; passwords cost nothing. */
export interface House {
  database: Database
  gates: readonly [SignIn, SignIn]
  /** Another gateway, on a store that may differ. */
  gateOn(store: Database): SignIn
  people: readonly [People, People]
  operator: Operator
  /** Notices to the operator, in order. */
  told: { type: string; personId: string; factor: string }[]
  /** Makes an account, whose owner has the usual password unless told otherwise; null for none. */
  account(email: string, password?: string | null): Promise<{ accountId: string; personId: string }>
  /** Signs in with a password, as far as that goes. */
  signIn(email: string, password?: string): Promise<Self & { state: string }>
  /** Signs in somebody who gets a generator, and what comes with it. */
  withGenerator(email: string): Promise<{ self: Self; secret: string; recoveryCodes: string[] }>
  /** Has a session take something on, and keep the new token as a browser does. */
  add(self: Self, registration: Registration, gate?: SignIn): Promise<AddResult>
  /** The code of a generator now, or so much later. */
  codeOf(secret: string, laterMs?: number): string
  pass(ms: number): void
  /** Names of what the audit log has, the oldest first. */
  audit(): Promise<string[]>
}

/** The stand-in for a password's hash. */
export const hashed = (password: string) => `is ${password}`

export async function openHouse(engine: EngineName, hash: HashPassword): Promise<House> {
  const place = await makePlace(engine)
  const database = open(place.url)
  onTestFinished(async () => {
    await database.close()
    await place.remove()
  })
  await migrate(database)
  return houseOn([database, database], hash)
}

/** Houses that are built one after the other, each on what was emptied. */
export function useHouses(engine: EngineName): () => House {
  const store = useStore(engine)
  let another: Database
  beforeAll(() => {
    another = store.another()
  })
  return () => houseOn([store.database, another], async (password) => hashed(password))
}

function houseOn([database, another]: readonly [Database, Database], hash: HashPassword): House {
  const clock = createMovedClock(NOW)
  const newId = new TicketMaker(randomBytes).make
  const sealer = new BoxSealer(boxesOf(['a secret of tests']))
  const told: House['told'] = []
  const partsOn = (store: Database) => ({
    database: store,
    clock,
    realClock: clock,
    auditClock: clock,
    newId,
  })
  const gateOn = (store: Database) =>
    openSignIn({
      ...partsOn(store),
      sealer,
      endConnections: (...asked) => endOfPerson(partsOn(store), ...asked),
      check: async (password, stored) => stored === hashed(password),
      hash,
      async tell(_tx, news) {
        told.push(news)
      },
    })
  const peopleOn = (store: Database) =>
    new People({ ...partsOn(store), endConnections: (...asked) => endOfPerson(partsOn(store), ...asked) })
  const gates = [gateOn(database), gateOn(another)] as const
  const operator = new Operator({
    database,
    acting: { actor: 'operator:ama' },
    clock,
    changes: { note() {} },
    sealer,
    newId,
    onRotated: followDemo(sealer),
  })
  const codeAt = (secret: string, laterMs = 0) => codeOf(secret, stepAt(clock.now() + laterMs))

  async function personIdOf(email: string): Promise<string> {
    const [row] = await database.read(({ run }) =>
      run<{ id: string }>('SELECT id FROM people WHERE email = $1', [email]),
    )
    if (!row) throw new Error(`nobody has ${email}`)
    return row.id
  }

  async function signIn(email: string, password = PASSWORD) {
    const result = await gates[0].portal.signIn({ email, password, ...FROM })
    if (result.kind !== 'in') throw new Error(`expected to be in, got ${result.kind}`)
    const { token, state } = result
    const open = (await gates[0].portal.who(token)) ?? (await gates[0].proofs.half(token))
    return { personId: await personIdOf(email), email, accountId: open?.accountId ?? '', token, state }
  }

  async function add(self: Self, registration: Registration, gate = gates[0]): Promise<AddResult> {
    const result = await gate.factors.add(self, registration, SITE)
    if (result.kind === 'added') self.token = result.token
    return result
  }

  return {
    database,
    gates,
    gateOn,
    add,
    people: [peopleOn(database), peopleOn(another)],
    operator,
    told,
    signIn,
    codeOf: codeAt,
    async account(email, password = PASSWORD) {
      const made = { name: `of ${email}`, email, currency: 'GHS', balance: micros(0), senders: [] }
      const passwordHash = password === null ? {} : { passwordHash: hashed(password) }
      const { accountId } = await operator.createAccount({ ...made, ...passwordHash })
      return { accountId, personId: await personIdOf(email.toLowerCase()) }
    },
    async withGenerator(email) {
      const self = await signIn(email)
      const secret = newTotpSecret()
      const added = await add(self, { secret, code: codeAt(secret) })
      if (added.kind !== 'added' || !added.recoveryCodes) throw new Error('the generator was not taken')
      return { self, secret, recoveryCodes: added.recoveryCodes }
    },
    pass: (ms) => clock.moveTo(epochMs(clock.now() + ms)),
    async audit() {
      const rows = await database.read(({ run }) =>
        run<{ action: string }>('SELECT action FROM audit ORDER BY id', []),
      )
      return rows.map(({ action }) => action)
    },
  }
}

/** Who acts as an owner of an account. */
export const ownerIn = ({ personId, accountId }: { personId: string; accountId: string }) => ({
  actor: `person:${personId}`,
  accountId,
})
