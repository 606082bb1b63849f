import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { TicketMaker } from '../../../src/kernel/ids.ts'
import { Codes, factorsOf, type Owner, ownerOfLink } from '../../../src/sign-in/factors/index.ts'
import { codeOf, newTotpSecret, stepAt } from '../../../src/sign-in/factors/totp.ts'
import { openSignIn } from '../../../src/sign-in/portal/index.ts'
import type { Database } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { BoxSealer, boxesOf } from '../../../src/store/secrets/sealing.ts'
import { digestOf } from '../../../src/store/secrets/tokens.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { ENGINES } from '../../support/bench.ts'
import { makeEmptyPlace, open } from '../../support/engine.ts'
import { NOW } from '../../support/rows-of.ts'

const FIRST = '0001_schema.sql'
const PEOPLE = '0002_people.sql'
const OPERATOR: Owner = { kind: 'operator', id: 'op' }
const [TOKEN, LINK, RECOVERY] = ['wp_of-before', 'wl_of-before', '0123456789abcdef']

const sealer = new BoxSealer(boxesOf(['a secret of tests']))

it.each(ENGINES)('an account of before has its owner, and all goes on as it was, on %s', async (engine) => {
  const place = await makeEmptyPlace(engine)
  const database = open(place.url)
  onTestFinished(async () => {
    await database.close()
    await place.remove()
  })
  expect((await migrate(database, { folder: await onlyTheFirst() })).taken).toEqual([FIRST])
  const secret = await fill(database)

  expect((await migrate(database)).taken[0]).toBe(PEOPLE)
  const read = <Row extends object>(sql: string) => database.read(({ run }) => run<Row>(sql, []))

  expect(await read('SELECT id, email, password_hash AS hash FROM people ORDER BY id')).toEqual([
    { id: 'one', email: 'ada@acme.example', hash: 'is a password' },
    { id: 'two', email: 'ben@acme.example', hash: null },
  ])
  expect(
    await read(
      `SELECT account_id AS account, person_id AS person, role, ended_at AS ended FROM memberships ORDER BY account_id`,
    ),
  ).toEqual(['one', 'two'].map((id) => ({ account: id, person: id, role: 'owner', ended: 0 })))
  expect(await read('SELECT id, person_id AS person FROM connections')).toEqual([{ id: 'c', person: 'one' }])
  expect(await read('SELECT DISTINCT second_factor AS factor FROM accounts')).toEqual([
    { factor: 'optional' },
  ])

  const clock = createMovedClock(NOW)
  const parts = { database, clock, auditClock: clock, newId: new TicketMaker(randomBytes).make, sealer }
  const { portal } = openSignIn({
    ...parts,
    tell: async () => {},
    endConnections: async () => [],
    check: async (password, stored) => stored === `is ${password}`,
  })
  expect(await portal.who(TOKEN)).toMatchObject({ personId: 'one', accountId: 'one', role: 'owner' })
  const request = { email: 'ada@acme.example', password: 'a password', address: '192.0.2.1' }
  expect(await portal.signIn(request)).toMatchObject({ kind: 'in', state: 'in', accounts: 1 })

  const factors = await database.read((tx) => factorsOf(tx, OPERATOR))
  expect(factors).toMatchObject({ passkeys: [{ id: 'k', usedAt: 7 }], generatorSince: 1, recoveryCodes: 1 })
  const codes = new Codes(parts)
  const guess = { kind: 'operator', owner: OPERATOR, name: 'ama' } as const
  const step = stepAt(NOW)
  expect(await codes.check(guess, codeOf(secret, step - 1))).toEqual({ kind: 'wrong' })
  expect(await codes.check(guess, codeOf(secret, step))).toEqual({ kind: 'right', by: 'code' })
  const recovered = await codes.check(guess, RECOVERY)
  expect(recovered).toEqual({ kind: 'right', by: 'recovery code' })
  expect(await database.read((tx) => ownerOfLink(tx, LINK, NOW))).toEqual(OPERATOR)
})

/** The steps of the version before. */
async function onlyTheFirst(): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await copyFile(new URL(`../../../migrations/${FIRST}`, import.meta.url), join(folder, FIRST))
  return pathToFileURL(`${folder}/`)
}

/** Rows as the version before left them. Gives the secret of an operator's generator. */
function fill(database: Database): Promise<string> {
  return database.write(async (tx) => {
    const { run } = tx
    const account = (id: string, email: string, hash: string | null) =>
      run(
        `INSERT INTO accounts (id, name, email, password_hash, status, status_at, created_at)
         VALUES ($1, 'Acme', $2, $3, 'active', 1, 1)`,
        [id, email, hash],
      )
    await account('one', 'ada@acme.example', 'is a password')
    await account('two', 'ben@acme.example', null)
    await account('three', 'erased:three', null)
    await run(
      `INSERT INTO wallets (id, account_id, currency, posted, held, created_at) VALUES ('w', 'one', 'GHS', 0, 0, 1)`,
      [],
    )
    await run(
      `INSERT INTO connections (id, account_id, wallet_id, grant_id, client_id, client_name, redirect_host, can_send,
         daily_spend, daily_messages, created_at) VALUES ('c', 'one', 'w', 'g', 'c', 'c', 'c', 1, 1, 1, 1)`,
      [],
    )
    await run(
      `INSERT INTO portal_sessions (token_hash, account_id, created_at, expires_at) VALUES ($1, 'one', 1, $2)`,
      [digestOf(TOKEN), NOW + 1_000],
    )
    await run(`INSERT INTO operators (id, name, role, created_at) VALUES ('op', 'ama', 'act', 1)`, [])
    await run(
      `INSERT INTO passkeys (id, owner_kind, owner_id, public_key, counter, created_at, used_at)
       VALUES ('k', 'operator', 'op', 'a key', 3, 1, 7)`,
      [],
    )
    const secret = newTotpSecret()
    const sealed = await sealer.seal(tx, secret, { table: 'code_generators', key: 'g' })
    await run(
      `INSERT INTO code_generators (id, owner_kind, owner_id, sealed, last_step, created_at)
       VALUES ('g', 'operator', 'op', $1, $2, 1)`,
      [sealed, stepAt(NOW) - 1],
    )
    await run(
      `INSERT INTO recovery_codes (code_hash, owner_kind, owner_id, created_at) VALUES ($1, 'operator', 'op', 1)`,
      [digestOf(RECOVERY)],
    )
    await run(
      `INSERT INTO one_time_links (secret_hash, owner_kind, owner_id, created_at, expires_at)
       VALUES ($1, 'operator', 'op', 1, $2)`,
      [digestOf(LINK), NOW + 1_000],
    )
    return secret
  })
}
