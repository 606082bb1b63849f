import { randomBytes } from 'node:crypto'
import { type Accounts, createAccounts, createChangeAccount } from './accounts/index.ts'
import {
  type Connectors,
  createConnectors,
  createOauthKeyring,
  type OauthKeyring,
} from './assistants/index.ts'
import type { Config } from './config.ts'
import { type CarrierOffice, createCarrierOffice } from './delivery/index.ts'
import { createTicketMaker } from './domain/ids.ts'
import { refuseHalfMoved } from './moving/index.ts'
import { type Changes, createChanges } from './platform/changes.ts'
import type { Clock } from './platform/clock.ts'
import type { Database } from './platform/database/database.ts'
import { clockOf, type FollowedClock } from './platform/database/database-clock.ts'
import { migrate } from './platform/database/migrate.ts'
import { fileOf, openDatabase } from './platform/database/open.ts'
import type { Logger } from './platform/log.ts'
import type { Outbound } from './platform/outbound/port.ts'
import { sandboxSecrets } from './platform/secrets/sandbox-secret.ts'
import { createSealer, type Sealer, WrongSecret } from './platform/secrets/sealing.ts'
import { createSetPassword, type SetPassword } from './portal/index.ts'
import { createSandboxClock, followDemo, type SandboxClock } from './sandbox/index.ts'

export interface Surroundings {
  /** Replaces the machine's time or, on PostgreSQL, the database's. */
  clock?: Clock
  log: Logger
  /** Called when the process cannot go on, because the state on disk is unknown. */
  onFatal(error: Error): void
  /** Replaces the network for callbacks and client documents. */
  outbound?: Outbound
  /** How long to wait for an SQLite file that another process has locked; 5 s when left out. */
  lockWaitMs?: number
}

/** What an operator can do to accounts. Every change leaves an audit row. */
export interface Operator extends Accounts {
  setPassword: SetPassword
}

/** The database and the operator's tools without a gateway, for commands that run while a server does. */
export interface Office {
  database: Database
  changes: Changes
  operator: Operator
  carriers: CarrierOffice
  connectors: Connectors
  keyring: OauthKeyring
  sealer: Sealer
  newId: ReturnType<typeof createTicketMaker>
  clock: Clock
  /** The same clock in a sandbox, where it can be moved forward. */
  sandboxClock: SandboxClock | undefined
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
    await refuseHalfMoved(database)
    const { clock, sandboxClock, stop } = await timeOf(database, config, surroundings.clock)
    const newId = createTicketMaker(randomBytes)
    const sealer = await openSealer(config, database)
    const changes = createChanges({
      notices: database.notices,
      onFault: (err) => log.warn({ room: 'changes', err }, 'pages of other processes may be late'),
    })
    const parts = { database, clock, changes, sealer, newId }
    return {
      database,
      changes,
      operator: createOperator(parts),
      carriers: createCarrierOffice(parts),
      connectors: createConnectors(parts),
      keyring: createOauthKeyring(parts),
      sealer,
      newId,
      clock,
      sandboxClock,
      async close() {
        stop()
        await changes.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

export function createOperator(
  parts: Pick<Office, 'database' | 'clock' | 'sealer' | 'newId'> & { changes: Pick<Changes, 'note'> },
): Operator {
  const change = createChangeAccount(parts)
  return {
    ...createAccounts({ ...parts, change, onRotated: followDemo(parts.sealer) }),
    setPassword: createSetPassword(change),
  }
}

async function timeOf(
  database: Database,
  { environment }: Config,
  given: Clock | undefined,
): Promise<FollowedClock & { sandboxClock: SandboxClock | undefined }> {
  const real = given ? { clock: given, stop() {} } : await clockOf(database)
  if (environment === 'production') return { ...real, sandboxClock: undefined }
  const { clock, stop } = await createSandboxClock(database, real.clock)
  return {
    clock,
    sandboxClock: clock,
    stop() {
      stop()
      real.stop()
    },
  }
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

/** A wrong secret fails only what needs it: listing accounts works, starting a gateway does not. */
function refusingSealer(error: WrongSecret): Sealer {
  const refuse = () => {
    throw error
  }
  return { seal: refuse, open: refuse, keyFor: refuse }
}
