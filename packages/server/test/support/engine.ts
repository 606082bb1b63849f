import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { FOR_DATABASES } from './for-databases.ts'
import { borrowPostgres, emptyKept, openKept } from './kept.ts'
import { emptyPostgres, type FreshPostgres } from './postgres.ts'

export type EngineName = 'an SQLite file' | 'SQLite in memory' | 'PostgreSQL'

/** Where data lives, and how to be rid of it. */
export interface Place {
  url: string
  remove(): Promise<void>
}

/** Makes a place without rows. On PostgreSQL it has the schema already, which takes long to make there. */
export function makePlace(engine: EngineName): Promise<Place> {
  switch (engine) {
    case 'an SQLite file':
      return temporaryFile()
    case 'SQLite in memory':
      return Promise.resolve({ url: ':memory:', remove: async () => {} })
    case 'PostgreSQL':
      return borrowPostgres().then(asPlace)
  }
}

/** A place without a schema, for tests of how it gets one. */
export function makeEmptyPlace(engine: EngineName): Promise<Place> {
  return engine === 'PostgreSQL' ? emptyPostgres().then(asPlace) : makePlace(engine)
}

function asPlace({ url, drop }: FreshPostgres): Place {
  return { url, remove: drop }
}

async function temporaryFile(): Promise<Place> {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-store-'))
  return {
    url: `file:${join(folder, 'wigwag.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export function open(url: string): Database {
  const unexpected = (error: Error) => {
    throw error
  }
  return openKept({ url, postgresConnections: 10, onFatal: unexpected, onIdleError: () => {} })
}

/** The store of a test file: one place for all its tests, emptied before each. */
export interface Store {
  readonly engine: EngineName
  readonly url: string
  readonly database: Database
  /**
   * A second handle on the same data, as another process has one. SQLite gives the one handle again: two writers
   * of one thread would wait for each other with the thread asleep.
   */
  another(): Database
}

export function useStore(engine: EngineName): Store {
  const opened: Database[] = []
  let place: Place | undefined

  function database(): Database {
    const [first] = opened
    if (!first) throw new Error('the store is open inside tests only')
    return first
  }
  beforeAll(async () => {
    place = await makePlace(engine)
    opened.push(open(place.url))
    await migrate(database())
  })
  beforeEach(() =>
    engine === 'PostgreSQL'
      ? emptyKept(place?.url ?? '')
      : database().write(async ({ run }) => {
          for (const table of TABLES) await run(`DELETE FROM ${table}`, [])
        }),
  )
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()))
    await place?.remove()
  })
  return {
    engine,
    get url() {
      return place?.url ?? ''
    },
    get database() {
      return database()
    },
    another() {
      if (engine !== 'PostgreSQL' || !place) return database()
      const second = open(place.url)
      opened.push(second)
      return second
    },
  }
}

const TABLES = [
  'portal_sessions',
  'person_events',
  'alert_choices',
  'account_alerts',
  'key_addresses',
  'alerts',
  'alert_events',
  'mails',
  'invitations',
  'memberships',
  'people',
  'sign_in_attempts',
  'operator_sessions',
  'operators',
  'passkeys',
  'code_generators',
  'recovery_codes',
  'one_time_links',
  'challenges',
  'wrong_codes',
  'oauth_records',
  'connections',
  'sender_ids',
  'audit',
  'audit_failures',
  'refusals',
  'ledger_references',
  'wallet_warnings',
  'low_wallet_events',
  'ledger',
  'hourly_totals',
  'outbox',
  'carrier_refs',
  'carrier_totals',
  'carrier_deliveries',
  'carrier_pauses',
  'carrier_reports',
  'late_receipts',
  'traces',
  'connector_sends',
  'connector_days',
  'schedulers',
  'idempotency',
  'settings',
  'messages',
  'keys',
  'wallets',
  'clients',
  'accounts',
]
