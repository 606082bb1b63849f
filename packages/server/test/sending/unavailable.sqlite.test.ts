import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { aPlace } from '../support/bench.ts'
import { checkBooks, endLeases, settled } from '../support/books.ts'
import { makePlace, type Place } from '../support/engine.ts'
import { BALANCE, BULK, bulk, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { lockFile } from '../support/lock.ts'

let place: Place
let front: Front
let account: AccountSecrets

beforeAll(async () => {
  place = await makePlace('an SQLite file')
  front = await openFront(place.url, {}, { lockWaitMs: 100 })
  account = await front.account('unavailable', 1_000_000_000)
})
afterAll(async () => {
  await front.close()
  await place.remove()
})

const pragma = (text: string) =>
  front.gateway.database.write(async ({ run }) => {
    const [row] = await run<Record<string, number>>(`PRAGMA ${text}`, [])
    return row && Object.values(row)[0]
  })

describe('a gateway on an SQLite file', () => {
  it('answers others at once while sends wait for a file that another process keeps locked', async () => {
    const url = await aPlace('an SQLite file')
    let onWrite = () => {}
    const front = await openFront(
      url,
      {},
      {
        lockWaitMs: 600_000,
        aroundDatabase: (database) => ({
          ...database,
          write(...args) {
            onWrite()
            return database.write(...args)
          },
        }),
      },
    )
    onTestFinished(front.close)
    const account = await front.account('waits', 1_000_000_000)
    const unlock = await lockFile(url)
    const writes = new Promise<void>((resolve) => {
      onWrite = resolve
    })
    const send = call(front.url, account, { path: SINGLE, body: single() })
    await writes
    const others = ['/livez', BALANCE].map((path) => call(front.url, account, { path }))
    const first = await Promise.race([send, Promise.all(others)])
    await unlock()
    expect(first).toMatchObject([{ status: 200 }, { status: 200 }])
    expect((await send).status).toBe(200)
  })

  it('answers 503 to sends when the file stays locked, and takes them again afterwards', async () => {
    const unlock = await lockFile(place.url)
    const refused = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const key = index % 2 === 0 ? { key: `locked-${index}` } : {}
        return call(front.url, account, { path: SINGLE, body: single(), ...key })
      }),
    )
    for (const { status, text, headers } of refused) {
      expect(status).toBe(503)
      expect(JSON.parse(text)).toMatchObject({ status: 503, code: 'unavailable' })
      expect(headers.get('retry-after')).toBe('1')
      expect(text).not.toMatch(/SQLITE|database is locked/)
    }
    expect((await call(front.url, account, { path: BALANCE })).status).toBe(200)
    await unlock()
    const again = await call(front.url, account, { path: SINGLE, body: single(), key: 'locked-0' })
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    await settled(front.gateway.database)
    await checkBooks(front.gateway.database)
  })

  it('answers 503 when the disk is full, loses nothing, and goes on when there is room', async () => {
    const pages = (await pragma('page_count')) ?? 0
    await pragma(`max_page_count = ${pages + 20}`)
    const recipients = Array.from({ length: 500 }, (_, index) => String(233_242_001_000 + index))
    const body = bulk(recipients)
    const statuses: number[] = []
    for (let index = 0; index < 4; index++) {
      const { status, text } = await call(front.url, account, { path: BULK, body, key: `full-${index}` })
      statuses.push(status)
      if (status !== 200) expect(JSON.parse(text).code).toBe('unavailable')
    }
    expect(statuses).toContain(503)
    await pragma('max_page_count = 1073741823')
    for (let index = 0; index < 4; index++) {
      const { status } = await call(front.url, account, { path: BULK, body, key: `full-${index}` })
      expect(status).toBe(200)
    }
    await endLeases(front.gateway.database)
    await settled(front.gateway.database)
    await checkBooks(front.gateway.database)
  })
})
