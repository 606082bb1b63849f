import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createTicketMaker } from '../domain/ids.ts'
import { type Connectors, createConnectors } from '../gateway/connectors.ts'
import { createOauthKeyring, type OauthKeyring } from '../gateway/oauth-keys.ts'
import { createOperator, type Operator } from '../gateway/operator.ts'
import type { Outbound } from '../gateway/ports.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../store/database.ts'
import { clockOf, type FollowedClock } from '../store/database-clock.ts'
import { migrate } from '../store/migrate.ts'
import { fileOf, openDatabase } from '../store/open.ts'
import { sandboxSecrets } from '../store/sandbox-secret.ts'
import { createSealer, type Sealer, WrongSecret } from '../store/sealing.ts'

export interface Surroundings {
  /** The time to go by, instead of the machine's or, on PostgreSQL, the database's. */
  clock?: Clock
  log: Logger
  /** The process cannot go on: what is on the disk is unknown. */
  onFatal(error: Error): void
  /** Who posts callbacks, instead of the real network. */
  outbound?: Outbound
  /** How long work waits for an SQLite file that another process keeps locked, instead of 5 s. */
  lockWaitMs?: number
}

/** The store and what an operator does with it, without a gateway around: for commands beside a running server. */
export interface Office {
  database: Database
  operator: Operator
  connectors: Connectors
  keyring: OauthKeyring
  sealer: Sealer
  newId: ReturnType<typeof createTicketMaker>
  clock: Clock
  close(): Promise<void>
}

export async function openOffice(config: Config, surroundings: Surroundings): Promise<Office> {
  const { log, onFatal, lockWaitMs } = surroundings
  const database = openDatabase({
    url: config.database,
    postgresConnections: config.postgresConnections,
    lockWaitMs,
    onFatal,
    onIdleError: (error) => log.warn({ error: error.message }, 'an idle database connection broke'),
  })
  try {
    await migrate(database)
    const { clock, stop } = await timeOf(database, surroundings.clock)
    const newId = createTicketMaker(randomBytes)
    const sealer = await openSealer(config, database)
    const parts = { database, clock, sealer, newId }
    return {
      database,
      operator: createOperator(parts),
      connectors: createConnectors(parts),
      keyring: createOauthKeyring(parts),
      sealer,
      newId,
      clock,
      close() {
        stop()
        return database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

function timeOf(database: Database, given: Clock | undefined): Promise<FollowedClock> {
  return given ? Promise.resolve({ clock: given, stop() {} }) : clockOf(database)
}

async function openSealer(config: Config, database: Database): Promise<Sealer> {
  if (config.secret !== undefined) return createSealer(config.secret)
  const newSecret = () => randomBytes(32).toString('base64url')
  try {
    return createSealer(...(await sandboxSecrets(database, fileOf(config.database), newSecret)))
  } catch (error) {
    if (error instanceof WrongSecret) return refusingSealer(error)
    throw error
  }
}

/** Without the secret, only what needs it fails: a list of accounts does not, a gateway does. */
function refusingSealer(error: WrongSecret): Sealer {
  const refuse = () => {
    throw error
  }
  return { seal: refuse, open: refuse, keyFor: refuse }
}
