import type { Database } from '../../../src/store/database.ts'

/**
 * Has the database itself watch each write to jobs and messages, with the name of the connection that made
 * it: - `stale`: a job was settled, moved or renewed by a process that did not make its latest claim. The
 * process that handed
 *   a message over last may also store the carrier's answer;
 * - `taken over`: a job was claimed by another process than the one that held it;
 * - `final again`: a message that was final was changed.
 * A receipt may end a message in any process, so the removal of a job that waits for one is not counted.
 */
export async function watchWriters(database: Database): Promise<void> {
  await database.write(async ({ run }) => {
    for (const statement of WATCH) await run(statement, [])
  })
}

const WATCH = [
  'CREATE TABLE watch_claims (id TEXT PRIMARY KEY, epoch BIGINT NOT NULL, name TEXT NOT NULL)',
  'CREATE TABLE watch_marks (id TEXT PRIMARY KEY, handed_at BIGINT NOT NULL, name TEXT NOT NULL)',
  'CREATE TABLE watch_seen (what TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL)',
  `CREATE FUNCTION watch_job() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     me TEXT := current_setting('application_name');
     holder TEXT;
     deliverer TEXT;
   BEGIN
     IF me NOT LIKE 'gateway-%' THEN RETURN NULL; END IF;
     SELECT name INTO holder FROM watch_claims WHERE id = OLD.id AND epoch = OLD.epoch;
     SELECT name INTO deliverer FROM watch_marks WHERE id = OLD.id AND handed_at = OLD.handed_at;
     IF TG_OP = 'UPDATE' AND NEW.handed_at <> OLD.handed_at THEN
       INSERT INTO watch_marks VALUES (OLD.id, NEW.handed_at, me)
         ON CONFLICT (id) DO UPDATE SET handed_at = excluded.handed_at, name = excluded.name;
     END IF;
     IF TG_OP = 'UPDATE' AND NEW.epoch > OLD.epoch THEN
       IF NEW.lease_until > 0 THEN
         IF holder <> me AND OLD.lease_until > 0 THEN INSERT INTO watch_seen VALUES ('taken over', OLD.id, me); END IF;
       ELSIF holder <> me AND deliverer IS DISTINCT FROM me THEN
         INSERT INTO watch_seen VALUES ('stale', OLD.id, me);
       END IF;
       INSERT INTO watch_claims VALUES (OLD.id, NEW.epoch, me)
         ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, name = excluded.name;
     ELSIF holder <> me AND (TG_OP = 'UPDATE' OR OLD.kind = 'callback') THEN
       INSERT INTO watch_seen VALUES ('stale', OLD.id, me);
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION watch_born() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO watch_claims VALUES (NEW.id, NEW.epoch, current_setting('application_name'));
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION watch_final() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO watch_seen VALUES ('final again', OLD.id, current_setting('application_name'));
     RETURN NULL;
   END $$`,
  'CREATE TRIGGER watch_job AFTER UPDATE OR DELETE ON outbox FOR EACH ROW EXECUTE FUNCTION watch_job()',
  'CREATE TRIGGER watch_born AFTER INSERT ON outbox FOR EACH ROW WHEN (NEW.epoch > 0) EXECUTE FUNCTION watch_born()',
  `CREATE TRIGGER watch_final AFTER UPDATE ON messages FOR EACH ROW
   WHEN (OLD.status NOT IN ('pending', 'scheduled')) EXECUTE FUNCTION watch_final()`,
]

export type Seen = Record<'stale' | 'taken over' | 'final again', number>

export async function whatWasSeen(database: Database): Promise<Seen> {
  const rows = await database.read(({ run }) =>
    run<{ what: keyof Seen; n: number }>('SELECT what, count(*) AS n FROM watch_seen GROUP BY what', []),
  )
  const seen: Seen = { stale: 0, 'taken over': 0, 'final again': 0 }
  for (const { what, n } of rows) seen[what] = n
  return seen
}

/**
 * Ends the leases of one process, as if it had been away for as long as they last. Rows that it locked before
 * stay locked until PostgreSQL ends its transactions.
 */
export async function endLeasesOf(database: Database, name: string): Promise<void> {
  await database.write(({ run }) =>
    run(
      `WITH held AS MATERIALIZED (
         SELECT o.id FROM outbox o JOIN watch_claims c ON c.id = o.id AND c.epoch = o.epoch
         WHERE c.name = $1 AND o.lease_until > 0 FOR UPDATE OF o SKIP LOCKED)
       UPDATE outbox SET lease_until = 1, run_at = 1 WHERE id IN (SELECT id FROM held)`,
      [name],
    ),
  )
}

/** Whether a gateway holds jobs, by the name that its connections have. */
export async function holdsJobs(database: Database, name: string): Promise<boolean> {
  const rows = await database.read(({ run }) =>
    run(
      `SELECT 1 FROM outbox o JOIN watch_claims c ON c.id = o.id AND c.epoch = o.epoch
       WHERE c.name = $1 AND o.lease_until > 0 LIMIT 1`,
      [name],
    ),
  )
  return rows.length > 0
}
