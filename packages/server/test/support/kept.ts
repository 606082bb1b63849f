/**
 * Databases of PostgreSQL, and connections to them, that go from one test of a worker to the next. Making them takes its
 * server longer than most tests take: a database is emptied, and connections stay open until another gateway takes them.
 */
import { inject } from 'vitest'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import { type OpenOptions, openDatabase } from '../../src/store/open.ts'
import { DatabaseWork } from './database-work.ts'
import { connectTo, type FreshPostgres, letEnd, makeDatabase } from './postgres.ts'

/** Tells the connections that are kept from those of a test. */
const NAME = 'kept'

interface Kept {
  url: string
  /** Handles that no gateway has now, by how they were opened. */
  handles: Map<string, Database[]>
  isAsMade(): Promise<boolean>
  empty(): Promise<void>
  end(): Promise<void>
}

const resting: Kept[] = []
const lent = new Map<string, Kept>()

/** A database that has the schema and no rows. Giving it back empties it for the next test. */
export async function borrowPostgres(): Promise<FreshPostgres> {
  const kept = resting.pop() ?? (await makeKept())
  lent.set(kept.url, kept)
  return {
    url: kept.url,
    async drop() {
      lent.delete(kept.url)
      // A test that changed the schema, or left somebody at work in there, is the last that has it.
      if (!(await kept.isAsMade())) return kept.end()
      await kept.empty()
      resting.push(kept)
    },
  }
}

/** Deletes the rows of a database that is borrowed. */
export async function emptyKept(url: string): Promise<void> {
  await lent.get(url)?.empty()
}

/** Opens a database as a gateway does. To one that is borrowed it takes connections that another has given back. */
export function openKept(options: OpenOptions): Database {
  const kept = lent.get(options.url)
  const { postgresConnections, answerWithinMs, silentAfterMs, sessionLimits, pulse, connectWithinMs } =
    options
  // The connections of a test that moves their time are its own.
  if (!kept || pulse || connectWithinMs !== undefined) return openDatabase(options)
  const how = JSON.stringify([postgresConnections, answerWithinMs, silentAfterMs, sessionLimits])
  const others = kept.handles.get(how) ?? []
  kept.handles.set(how, others)
  const address = new URL(options.url)
  address.searchParams.set('application_name', NAME)
  const handle = others.pop() ?? openDatabase({ ...options, url: address.href, onIdleError: () => {} })
  return untilClosed(handle, () => {
    if (handle.isSilent?.()) return handle.close()
    others.push(handle)
  })
}

/** A handle for one gateway. It is closed as soon as that has ended its work, and refuses more. */
function untilClosed(handle: Database, giveBack: () => unknown): Database {
  const work = new DatabaseWork()
  let isClosed = false
  const counted = work.of(handle, () => {
    if (isClosed) throw new StoreUnavailable('the database is closed')
  })
  return {
    ...counted,
    async close() {
      if (isClosed) return
      isClosed = true
      await work.rest()
      await giveBack()
    },
  }
}

async function makeKept(): Promise<Kept> {
  const template = inject('postgresTemplate')
  const { url, drop } = await makeDatabase(inject('postgresUrl'), template, template)
  const client = await connectTo(url)
  letEnd(client)
  const handles: Kept['handles'] = new Map()
  const shape = async () => {
    const { rows } = await client.query<{ busy: string; shape: string }>(SHAPE)
    return JSON.stringify(rows)
  }
  const made = await shape()
  return {
    url,
    handles,
    isAsMade: async () => (await shape()) === made,
    async empty() {
      await client.query(EMPTY)
    },
    async end() {
      await Promise.all([...handles.values()].flat().map((handle) => handle.close()))
      await client.end()
      await drop()
    },
  }
}

/** Leftovers of a test besides rows: busy sessions, and changes of the schema. */
const SHAPE = `SELECT
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (application_name <> '${NAME}' OR state <> 'idle')) AS busy,
  (SELECT md5(string_agg(row_to_json(c)::text, '' ORDER BY oid)) FROM
    (SELECT oid, relname, relnatts, relchecks, relhasrules, relhastriggers, reloptions FROM pg_class
      WHERE relnamespace = 'public'::regnamespace) AS c) AS tables,
  (SELECT md5(string_agg(attrelid::text || attname || atttypid || attnotnull || atthasdef, '' ORDER BY attrelid, attnum))
    FROM pg_attribute JOIN pg_class ON oid = attrelid WHERE relnamespace = 'public'::regnamespace) AS columns,
  (SELECT count(*) || '/' || max(oid) FROM pg_proc) AS functions,
  (SELECT count(*) || '/' || max(oid) FROM pg_trigger) AS triggers,
  (SELECT count(*) || '/' || max(oid) FROM pg_constraint) AS constraints,
  (SELECT count(*) FROM pg_statistic) AS statistics,
  (SELECT md5(string_agg(step::text, '' ORDER BY step)) FROM migrations AS step) AS steps,
  (SELECT count(*) FROM pg_db_role_setting WHERE setdatabase =
    (SELECT oid FROM pg_database WHERE datname = current_database())) AS settings`

/** Deletes what few rows there are, which keeps the plans of kept sessions; more of them go with their table's files. */
const EMPTY = `DO $$
  DECLARE named name; bytes bigint;
  BEGIN
    SET LOCAL session_replication_role = replica;
    FOR named, bytes IN SELECT relname, pg_relation_size(oid) FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations'
    LOOP
      IF bytes > 65536 THEN EXECUTE format('TRUNCATE %I CASCADE', named);
      ELSIF bytes > 0 THEN EXECUTE format('DELETE FROM %I', named);
      END IF;
    END LOOP;
  END $$`
