import { randomBytes } from 'node:crypto'
import { cellName, nameCell } from '../accounts/index.ts'
import type { HourlyLimits } from '../assistants/index.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/setting-values.ts'
import type { Carrier } from '../delivery/index.ts'
import { Changes } from '../flow/changes.ts'
import { TicketMaker } from '../kernel/ids.ts'
import type { Clock, LiveTimes, Pulse } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Rendered } from '../kernel/process/metrics.ts'
import type { Outbound } from '../net/outbound/port.ts'
import { refuseMoved } from '../operate/moving/index.ts'
import { type OperatorWork, type WorkParts, workOfOperators } from '../operate/operator-work.ts'
import { followDemo, openSandboxClock, type SandboxClock } from '../sandbox/index.ts'
import type { HashPassword, VerifyPassword } from '../sign-in/portal/index.ts'
import type { Acting } from '../store/audit/index.ts'
import type { Database, ReadOnlyDatabase } from '../store/database.ts'
import { clockOf, type FollowedClock } from '../store/facts.ts'
import { fileOf, openDatabase, openToRead } from '../store/open.ts'
import { FollowedStandby } from '../store/postgres/replica.ts'
import type { SessionLimits } from '../store/postgres/session.ts'
import { newestStep, requireSchema } from '../store/schema/migrate.ts'
import { sandboxSecret } from '../store/secrets/sandbox-secret.ts'
import {
  type Boxes,
  BoxSealer,
  bindMark,
  boxesOf,
  type KeyFor,
  keyOf,
  readMark,
  WrongSecret,
} from '../store/secrets/sealing.ts'
import { claimSetting, readSetting } from '../store/settings.ts'
import { WatchedStore, type WriteTimes } from '../store/watch.ts'
import { bringUpToDate } from './bring-up-to-date.ts'

/** Far longer than any statement of a gateway takes: the server, or the connection to it, is gone. */
const ANSWER_WITHIN_MS = 20_000
/** A read that a standby has not answered by then goes to the database. */
const STANDBY_WITHIN_MS = 2_000

export interface RunOptions {
  /** Replaces the machine's time or, on PostgreSQL, the database's. */
  clock?: Clock
  log: Logger
  /** Called when the process cannot go on, because the state on disk is unknown. */
  onFatal(error: Error): void
  /** Has threads beside this one for the sockets to receivers and carriers. For a machine with several processors. */
  threads?: boolean
  /** Replaces the network for callbacks and client documents. */
  outbound?: Outbound
  /** How long to wait for an SQLite file that another process has locked; 5 s when left out. */
  lockWaitMs?: number
  /** As for a database, where the machine is so busy that PostgreSQL's answers take as long as its silence. */
  silentAfterMs?: number
  /** Replaces the real time in which missing answers of PostgreSQL are looked for. */
  pulse?: Pulse
  /** How long sessions of PostgreSQL wait for a lock, and rest in a transaction. */
  sessionLimits?: SessionLimits
  /** How long a send waits for a lock of PostgreSQL in one of its tries; 200 ms when left out. */
  sendLockWaitMs?: number
  /** How long messages are left alone that wait for a carrier which no longer exists; 30 s when left out. */
  strandedMs?: number
  /** How long an export of traces may take; 2 s when left out. */
  exportTracesMs?: number
  /** Replaces how often in an hour something of the authorization server may be asked for that needs no sign-in. */
  hourlyLimits?: Partial<HourlyLimits>
  /** Replaces how passwords that people set are hashed. */
  hash?: HashPassword | undefined
  /** Replaces how passwords are compared with what is stored. */
  check?: VerifyPassword | undefined
  /** Replaces whether the event loop is saturated, so that passwords are hashed less often. */
  busy?: () => boolean
  /** How many recipients of a list that a page sends go in one part; as many as a request may have when left out. */
  mostInPart?: number | undefined
  /** Replaces when open pages are told of what changes. */
  live?: LiveTimes
  /** The initial content of a database in memory: `schemaImage`, where many are opened. */
  image?: Buffer
  /** Replaces how the database is opened. */
  openDatabase?: typeof openDatabase
  /** Replaces which metrics are shown: where there are several processes, those of all. */
  renderMetrics?: (() => Promise<Rendered>) | undefined
  /** Put between the gateway and its store. */
  aroundDatabase?(database: Database): Database
  /** Put between the gateway and each of its carriers. */
  aroundCarrier?(carrier: Carrier): Carrier
}

/** The database and the operator's tools without a gateway, for commands that run while a server does. */
export interface OperatorParts extends OperatorWork, WorkParts {
  /** Whether the database takes writes now. */
  takesWrites(): Promise<boolean>
  writeTimes(): WriteTimes
  /** The secrets, the current one first. Throws {@link WrongSecret} when they are not the database's. */
  boxes(): Boxes
  /** Its clock in a sandbox, where it can be moved forward. */
  sandboxClock: SandboxClock | undefined
  close(): Promise<void>
}

/** The parts of a gateway, which needs the secret from the start. */
export interface GatewayParts extends OperatorParts {
  keyFor: KeyFor
  /** The number of the newest step of the schema that this program knows. */
  schema: number
}

/**
 * For a command: it may run beside a gateway of another version, so it changes no schema, and refuses one with which it
 * can't work. A wrong secret fails only what needs it: listing accounts works, sealing does not.
 */
export function openOperatorParts(
  config: Config,
  options: RunOptions & { acting: Acting },
): Promise<OperatorParts> {
  return open(config, options, async (database) => {
    await requireSchema(database)
    await refuseMoved(database)
    await takeCellName(config, database)
    const boxes = await openBoxes(config, database).catch((error: unknown) => {
      if (error instanceof WrongSecret) return error
      throw error
    })
    return boxes instanceof WrongSecret
      ? refusing(boxes)
      : { sealer: new BoxSealer(boxes), boxes: () => boxes }
  })
}

/** For a gateway: brings the schema up to date, and refuses to start with a wrong secret. */
export function openGatewayParts(config: Config, options: RunOptions): Promise<GatewayParts> {
  const gateway = {
    acting: { actor: 'gateway' },
    answerWithinMs: ANSWER_WITHIN_MS,
    standby: openStandby(config, options),
  }
  return open(config, { ...options, ...gateway }, async (database) => {
    database.keepForOneGateway?.()
    await refuseOtherEnvironment(config, database)
    const { taken, waiting, gateways, beside } = await bringUpToDate(database, config, options.clock)
    const { log } = options
    if (taken.length > 0) log.info({ steps: taken }, 'the database was brought up to date')
    if (waiting.length > 0)
      log.warn({ steps: waiting, gateways }, 'steps of the database wait until no older gateway runs')
    if (beside.length > 0) log.warn({ steps: beside }, 'a newer version of wigwag added to the database')
    await refuseMoved(database)
    await takeCellName(config, database)
    const boxes = await openBoxes(config, database)
    const mark = await database.write(async (tx) => {
      await claimSetting(tx, 'environment', config.environment)
      return bindMark(tx, boxes)
    })
    const schema = await newestStep()
    return {
      sealer: new BoxSealer(boxes),
      boxes: () => boxes,
      keyFor: (purpose) => keyOf(mark, purpose),
      schema,
    }
  })
}

async function open<S extends Pick<OperatorParts, 'sealer' | 'boxes'>>(
  config: Config,
  options: RunOptions & { acting: Acting; standby?: ReadOnlyDatabase | undefined; answerWithinMs?: number },
  prepare: (database: Database) => Promise<S>,
): Promise<OperatorParts & S> {
  const { log, onFatal, acting, standby, aroundDatabase = (database) => database } = options
  const { lockWaitMs, answerWithinMs, silentAfterMs, pulse, sessionLimits, image } = options
  const openStore = options.openDatabase ?? openDatabase
  const store = aroundDatabase(
    openStore({
      url: config.database,
      postgresConnections: config.postgresConnections,
      answerWithinMs,
      silentAfterMs,
      pulse,
      sessionLimits,
      lockWaitMs,
      image,
      onFatal,
      onIdleError: (error) => log.warn({ error: error.message }, 'an idle database connection broke'),
    }),
  )
  try {
    const secrets = await prepare(store)
    const { sealer } = secrets
    const { clock, sandboxClock, stop } = await timeOf(store, config, options.clock)
    const watched = new WatchedStore(store, { clock, log })
    const { database } = watched
    const newId = new TicketMaker(randomBytes).make
    const changes = new Changes({
      notices: database.notices,
      everyMs: options.live?.changesEveryMs,
      onFault: (err) => log.warn({ part: 'changes', err }, 'pages of other processes may be late'),
    })
    const realClock = sandboxClock?.real ?? clock
    const replica = standby
      ? new FollowedStandby({ database, standby, clock, onTurn: (reason) => logTurn(log, reason) })
      : database
    const onRotated = followDemo(sealer)
    const parts = { database, replica, acting, clock, realClock, changes, sealer, newId, onRotated }
    return {
      ...secrets,
      ...parts,
      ...workOfOperators(parts),
      takesWrites: () => watched.takesWrites(),
      writeTimes: () => watched.times,
      sandboxClock,
      async close() {
        stop()
        await changes.close()
        await standby?.close()
        await database.close()
      },
    }
  } catch (error) {
    await standby?.close()
    await store.close()
    throw error
  }
}

/** The standby of the setting. Only a gateway uses one. */
function openStandby({ databaseRead, postgresConnections }: Config, { log }: RunOptions) {
  if (databaseRead === undefined) return undefined
  return openToRead({
    url: databaseRead,
    postgresConnections,
    answerWithinMs: STANDBY_WITHIN_MS,
    onIdleError: (error) => log.warn({ error: error.message }, 'an idle connection to the standby broke'),
  })
}

function logTurn(log: Logger, reason: Error | undefined): void {
  if (reason) log.warn({ reason: reason.message }, 'searches read from the database, not from the standby')
  else log.info('searches read from the standby')
}

const OTHERWISE = {
  sandbox:
    'this database belongs to production, and a sandbox would report its messages as delivered without sending them: set WIGWAG_ENV=production, or WIGWAG_DATABASE_URL to another database',
  production:
    'this database belongs to a sandbox, whose money is not real: set WIGWAG_DATABASE_URL to another database, or WIGWAG_ENV=sandbox',
}

/** A database belongs to the environment in which a gateway first opened it. Checked before anything is changed. */
async function refuseOtherEnvironment({ environment }: Config, database: Database): Promise<void> {
  // A new database has no settings yet. Any other failure is reported by the steps that follow.
  const kept = await database.read((tx) => readSetting(tx, 'environment')).catch(() => environment)
  if (kept !== undefined && kept !== environment) throw new ConfigError(OTHERWISE[environment])
}

/** A database keeps the name by which it was first opened: accounts have it in their client IDs. */
async function takeCellName({ cell }: Config, database: Database): Promise<void> {
  if (cell === undefined) return
  const kept = (await database.read(cellName)) || (await database.write((tx) => nameCell(tx, cell)))
  if (kept === cell) return
  throw new ConfigError(
    `this database is the cell ${kept}, not ${cell}: set WIGWAG_DATABASE_URL to the database of ${cell}, or WIGWAG_CELL=${kept}`,
  )
}

async function timeOf(
  database: Database,
  { environment }: Config,
  given: Clock | undefined,
): Promise<FollowedClock & { sandboxClock: SandboxClock | undefined }> {
  const real = given ? { clock: given, stop() {} } : await clockOf(database)
  if (environment === 'production') return { ...real, sandboxClock: undefined }
  const clock = await openSandboxClock(database, real.clock)
  return {
    clock,
    sandboxClock: clock,
    stop() {
      clock.stop()
      real.stop()
    },
  }
}

/** The secrets, checked against what is sealed in the database. */
async function openBoxes(config: Config, database: Database): Promise<Boxes> {
  const { secret, previousSecret, database: url } = config
  const newSecret = () => randomBytes(32).toString('base64url')
  const current = secret ?? (await sandboxSecret(database, fileOf(url), newSecret))
  const boxes = boxesOf(previousSecret === undefined ? [current] : [current, previousSecret])
  await database.read((tx) => readMark(tx, boxes))
  return boxes
}

function refusing(error: WrongSecret): Pick<OperatorParts, 'sealer' | 'boxes'> {
  const refuse = () => {
    throw error
  }
  return { sealer: { seal: async () => refuse(), open: refuse }, boxes: refuse }
}
