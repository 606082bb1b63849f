import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { micros } from '@wigwag/contract'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listAccounts } from '../../../src/accounts/accounts.ts'
import { callbackKeys, type KeyRow } from '../../../src/accounts/keys.ts'
import { loadConfig } from '../../../src/config/config.ts'
import {
  type OperatorParts,
  openGatewayParts,
  openOperatorParts,
} from '../../../src/gateway/operator-parts.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Database } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { findSecret, sandboxSecret } from '../../../src/store/secrets/sandbox-secret.ts'
import { Box, type SealedAt, WrongSecret } from '../../../src/store/secrets/sealing.ts'
import { type EngineName, makePlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { openFront } from '../../support/front.ts'
import { lockFile } from '../../support/lock.ts'

async function placeOn(engine: EngineName) {
  const place = await makePlace(engine)
  onTestFinished(place.remove)
  return { url: place.url, secretFile: `${place.url.replace(/^file:/, '')}.secret` }
}

function officeAt(
  url: string,
  environment: Record<string, string> = {},
  opened: typeof openOperatorParts = openGatewayParts,
): Promise<OperatorParts> {
  const unexpected = (error: Error) => {
    throw error
  }
  const log = pino({ level: 'silent' })
  const options = { clock: systemClock, acting: { actor: 'operator:ama' }, log, onFatal: unexpected }
  return opened(loadConfig({ database: url }, environment), options)
}

const newAccount = (parts: OperatorParts, name: string) =>
  parts.operator.createAccount({
    name,
    email: `${name}@example.com`,
    currency: 'GHS',
    balance: micros(0),
    senders: [],
  })

const startTogether = (url: string) => Promise.all(Array.from({ length: 5 }, () => officeAt(url)))

async function expectAgreement(offices: readonly OperatorParts[]): Promise<void> {
  for (const from of offices) {
    const sealed = await sealWith(from)
    for (const to of offices) expect(to.sealer.open(sealed, SOMEWHERE)).toBe('plain')
  }
  await Promise.all(offices.map((parts) => parts.close()))
}

const SOMEWHERE: SealedAt = { table: 'keys', key: 'one' }
const sealWith = ({ database, sealer }: OperatorParts) =>
  database.write((tx) => sealer.seal(tx, 'plain', SOMEWHERE))

const sealedIn = ({ database }: OperatorParts) =>
  database.read(async (tx) => {
    const accounts = await listAccounts(tx)
    const keys = await Promise.all(accounts.map(({ id }) => callbackKeys(tx, id, epochMs(0))))
    return keys.flat()
  })

const openedWith = (box: Pick<OperatorParts['sealer'] | Box, 'open'>, keys: readonly KeyRow[]) =>
  keys.map(({ id, stored }) => box.open(stored, { table: 'keys', key: id }))

describe('the secret of a sandbox', () => {
  it('is made beside an SQLite file, for its owner alone, and stays', async () => {
    const { url, secretFile } = await placeOn('an SQLite file')
    const first = await officeAt(url)
    const { callbackSecret } = await newAccount(first, 'ama')
    expect(statSync(secretFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(secretFile, 'utf8')).toMatch(/^[\w-]{43}\n$/)
    await first.close()
    const second = await officeAt(url)
    expect(openedWith(second.sealer, await sealedIn(second))).toEqual([callbackSecret])
    await second.close()
  })

  it('is one for all that start at once on an SQLite file', async () => {
    const { url } = await placeOn('an SQLite file')
    const databases = Array.from({ length: 5 }, () => open(url))
    onTestFinished(async () => {
      await Promise.all(databases.map((database) => database.close()))
    })
    for (const database of databases) await migrate(database)
    const unlock = await lockFile(url)
    let waiting = 0
    const starting = databases.map((database) => {
      const watched: Database = {
        ...database,
        write(...work) {
          waiting++
          return database.write(...work)
        },
      }
      return sandboxSecret(watched, url.slice(5), randomUUID)
    })
    await eventually('each has found no secret, and waits to make one', () => waiting === 5)
    await unlock()
    expect(new Set(await Promise.all(starting)).size).toBe(1)
  })

  it('is one for all that start at once on PostgreSQL', async () => {
    const { url } = await placeOn('PostgreSQL')
    await expectAgreement(await startTogether(url))
  })

  it('differs from sandbox to sandbox, in memory too', async () => {
    const offices = await Promise.all([officeAt(':memory:'), officeAt(':memory:')])
    const [first, second] = offices
    const sealed = await sealWith(first)
    expect(() => second.sealer.open(sealed, SOMEWHERE)).toThrow(WrongSecret)
    await Promise.all(offices.map((parts) => parts.close()))
  })

  it('that is missing fails what needs it with a hint, and is not made anew', async () => {
    const { url, secretFile } = await placeOn('an SQLite file')
    const first = await officeAt(url)
    await newAccount(first, 'ama')
    await first.close()
    rmSync(secretFile)
    const second = await officeAt(url, {}, openOperatorParts)
    expect(await sealedIn(second)).toHaveLength(1)
    await expect(newAccount(second, 'kofi')).rejects.toThrow(`put ${secretFile} back, or set WIGWAG_SECRET`)
    expect(await second.database.read((tx) => findSecret(tx, url.slice(5)))).toBeUndefined()
    await second.close()
    await expect(openFront(url)).rejects.toThrow(WrongSecret)
  })

  it('is the one in WIGWAG_SECRET when there is one, and then none is made', async () => {
    const { url } = await placeOn('an SQLite file')
    const parts = await officeAt(url, { WIGWAG_SECRET: 'of the operator' })
    const { callbackSecret } = await newAccount(parts, 'ama')
    expect(openedWith(new Box('of the operator'), await sealedIn(parts))).toEqual([callbackSecret])
    expect(await parts.database.read((tx) => findSecret(tx, url.slice(5)))).toBeUndefined()
    await parts.close()
  })
})
