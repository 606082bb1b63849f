import { randomBytes } from 'node:crypto'
import { createTicketMaker, type EpochMs } from '../../src/domain/ids.ts'
import type { Micros } from '../../src/domain/money.ts'
import { createOperator, type Operator } from '../../src/gateway/operator.ts'
import { hashPassword, verifyPassword } from '../../src/gateway/password.ts'
import { createPortal, type Portal, type SignInResult } from '../../src/gateway/sign-in.ts'
import type { Database } from '../../src/store/database.ts'
import { createSealer } from '../../src/store/sealing.ts'
import { createMovedClock, type MovedClock } from '../../src/testing/clock.ts'
import { NOW } from '../store/rows-of.ts'

export const PASSWORD = 'correct horse battery'
export const WRONG = 'wrong horse battery'
export const MINUTE = 60_000
const LOW = { n: 1_024, r: 8, p: 1 }

/** The real check at a cost that tests can pay a thousand times. */
export const cheapCheck: typeof verifyPassword = (password, stored) =>
  verifyPassword(password, stored.replace(/^scrypt\$\d+\$/, `scrypt$${LOW.n}$`))

export interface Reception {
  clock: MovedClock
  operator: Operator
  /** Portals as two processes have them. */
  portals: readonly [Portal, Portal]
  /** Makes an account, with the usual password unless told otherwise, and gives its ID. */
  account(email: string, password?: string | null): Promise<string>
  signIn(changes?: Partial<Parameters<Portal['signIn']>[0]>): Promise<SignInResult>
  /** Fails so many times, one after the other, from an address of its own each. */
  failTimes(times: number, email?: string): Promise<SignInResult[]>
  advance(ms: number): void
  auditRows(): Promise<{ action: string; accountId: string | null; detail: Record<string, unknown> }[]>
}

export interface ReceptionOptions {
  database: Database
  /** The same data as another process has it open. */
  another?: Database
  check?: typeof verifyPassword
}

export const EMAIL = 'ama@acme.example'

/** Portals on a store, with a clock that stands still. */
export function openReception({
  database,
  another = database,
  check = cheapCheck,
}: ReceptionOptions): Reception {
  const clock = createMovedClock(NOW)
  const newId = createTicketMaker(randomBytes)
  const portalOn = (store: Database) => createPortal({ database: store, clock, newId, check })
  const portals = [portalOn(database), portalOn(another)] as const
  const operator = createOperator({ database, clock, sealer: createSealer('a secret of tests'), newId })
  const signIn: Reception['signIn'] = (changes = {}) =>
    portals[0].signIn({ email: EMAIL, password: PASSWORD, address: '192.0.2.1', ...changes })
  return {
    clock,
    operator,
    portals,
    signIn,
    async account(email, password = PASSWORD) {
      const { accountId } = await operator.createAccount({
        name: 'Ama',
        email,
        ...(password === null ? {} : { passwordHash: await hashPassword(password, LOW) }),
        currency: 'GHS',
        balance: 0 as Micros,
        senders: [],
      })
      return accountId
    },
    async failTimes(times, email = EMAIL) {
      const results: SignInResult[] = []
      for (let round = 1; round <= times; round++)
        results.push(await signIn({ email, password: WRONG, address: `198.51.100.${round}` }))
      return results
    },
    advance: (ms) => clock.moveTo((clock.now() + ms) as EpochMs),
    async auditRows() {
      const rows = await database.read(({ run }) =>
        run<{ action: string; accountId: string | null; detail: string }>(
          `SELECT action, account_id AS "accountId", detail FROM audit WHERE actor = 'portal' ORDER BY id`,
          [],
        ),
      )
      return rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) }))
    },
  }
}

/** How often each kind of answer came. */
export function kindsOf(results: readonly SignInResult[]): Partial<Record<SignInResult['kind'], number>> {
  const counts: Partial<Record<SignInResult['kind'], number>> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
