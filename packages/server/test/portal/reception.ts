import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { epochMs, TicketMaker } from '../../src/kernel/ids.ts'
import { Operator } from '../../src/operate/operator-work.ts'
import { followDemo } from '../../src/sandbox/index.ts'
import {
  type Cost,
  hashPasswordHere,
  verifyPasswordHere,
} from '../../src/sign-in/portal/passwords/password-hash.ts'
import type { VerifyPassword } from '../../src/sign-in/portal/passwords/password-queue.ts'
import type { Portal, SignInRequest, SignInResult } from '../../src/sign-in/portal/portal.ts'
import { openSignIn } from '../../src/sign-in/portal/wiring.ts'
import type { Database } from '../../src/store/database.ts'
import { BoxSealer, boxesOf } from '../../src/store/secrets/sealing.ts'
import { createMovedClock, type MovedClock } from '../../src/testing/clock.ts'
import { NOW } from '../support/rows-of.ts'

export const EMAIL = 'ama@acme.example'
export const PASSWORD = 'correct horse battery'
export const WRONG = 'wrong horse battery'
export const MINUTE = 60_000
const CHEAP: Cost = { n: 2 ** 6, r: 8, p: 1 }

export interface AuditRow {
  action: string
  accountId: string | null
  detail: unknown
}

/** Portals on a store, with a clock that stands still, and passwords that cost next to nothing. */
export interface Reception {
  clock: MovedClock
  operator: Operator
  /** As two processes have them. */
  portals: readonly [Portal, Portal]
  /** Makes an account, with the usual password unless told otherwise, and gives its ID. */
  account(email: string, password?: string | null): Promise<string>
  setPassword(account: string, password: string): Promise<void>
  /** Signs the usual person in, or tries something else. */
  signIn(changes?: Partial<SignInRequest>): Promise<SignInResult>
  tokenOf(result: SignInResult): string
  /** Fails so many times, one after the other, from an address of its own each. */
  failTimes(times: number, email?: string): Promise<SignInResult[]>
  advance(ms: number): void
  /** How many attempts are kept. */
  attempts(): Promise<number>
  /** The portal's rows in the audit log, the oldest first. */
  auditRows(): Promise<AuditRow[]>
  /** Failures at the portal, counted by the hour. */
  failures(): Promise<(AuditRow & { failures: number })[]>
}

export interface ReceptionOptions {
  database: Database
  /** The same data as another process has it open. */
  another?: Database
  check?: VerifyPassword
  cost?: Cost
}

/** The real check, at a cost that tests can pay a thousand times, also for those who have no password. */
export function checkAt({ n }: Cost): VerifyPassword {
  return async (password, stored) =>
    verifyPasswordHere(password, stored.replace(/^scrypt\$\d+/, `scrypt$${n}`))
}

export function openReception({
  database,
  another = database,
  cost = CHEAP,
  check = checkAt(cost),
}: ReceptionOptions): Reception {
  const clock = createMovedClock(NOW)
  const newId = new TicketMaker(randomBytes).make
  const sealer = new BoxSealer(boxesOf(['a secret of tests']))
  const portalOn = (store: Database) => {
    const parts = { database: store, clock, auditClock: clock, newId, check, sealer, tell: async () => {} }
    return openSignIn({ ...parts, endConnections: async () => [] }).portal
  }
  const portals = [portalOn(database), portalOn(another)] as const
  const operator = new Operator({
    database,
    acting: { actor: 'operator:ama' },
    clock,
    changes: { note() {} },
    sealer,
    newId,
    onRotated: followDemo(sealer),
  })
  const signIn: Reception['signIn'] = (changes = {}) =>
    portals[0].signIn({ email: EMAIL, password: PASSWORD, address: '192.0.2.1', ...changes })

  return {
    clock,
    operator,
    portals,
    signIn,
    async account(email, password = PASSWORD) {
      const hashed = password === null ? {} : { passwordHash: hashPasswordHere(password, cost) }
      const account = { name: 'Ama', email, currency: 'GHS', balance: micros(0), senders: [] }
      const { accountId } = await operator.createAccount({ ...account, ...hashed })
      return accountId
    },
    async setPassword(account, password) {
      await operator.setPassword(account, hashPasswordHere(password, cost))
    },
    tokenOf(result) {
      if (result.kind === 'in') return result.token
      throw new Error(`expected to be in, got ${result.kind}`)
    },
    async failTimes(times, email = EMAIL) {
      const results: SignInResult[] = []
      for (let round = 1; round <= times; round++)
        results.push(await signIn({ email, password: WRONG, address: `198.51.100.${round}` }))
      return results
    },
    advance: (ms) => clock.moveTo(epochMs(clock.now() + ms)),
    async attempts() {
      const rows = await database.read(({ run }) => run('SELECT id FROM sign_in_attempts', []))
      return rows.length
    },
    async auditRows() {
      const rows = await database.read(({ run }) =>
        run<AuditRow & { detail: string }>(
          `SELECT action, account_id AS "accountId", detail FROM audit WHERE actor LIKE 'person:%' ORDER BY id`,
          [],
        ),
      )
      return rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) }))
    },
    async failures() {
      const rows = await database.read(({ run }) =>
        run<AuditRow & { failures: number; detail: string }>(
          `SELECT action, account_id AS "accountId", failures, detail FROM audit_failures
           ORDER BY action, hour, account_id`,
          [],
        ),
      )
      return rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) }))
    },
  }
}
