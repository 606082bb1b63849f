import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'

export interface Registrations {
  /** Clients that registered themselves. */
  registered: number
  /** Those of them that no person ever let in. */
  unused: number
}

export async function countRegistrations({ run }: Connection): Promise<Registrations> {
  const [row] = await run<Registrations>(
    `SELECT count(*) AS registered,
       count(CASE WHEN EXISTS (SELECT 1 FROM connections c WHERE c.client_id = r.id) THEN NULL ELSE 1 END) AS unused
     FROM oauth_records r WHERE model = 'Client'`,
    [],
  )
  return row ?? { registered: 0, unused: 0 }
}

export interface Failures {
  failures: number
  newest: EpochMs | null
}

/** Attempts to sign in that failed, among those that are still kept. */
export async function countFailures({ run }: Connection): Promise<Failures> {
  const [row] = await run<Failures>(
    'SELECT count(*) AS failures, max(at) AS newest FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return row ?? { failures: 0, newest: null }
}

/** The digests of e-mail addresses with failed attempts. */
export async function failedEmails({ run }: Connection): Promise<string[]> {
  const rows = await run<{ hash: string }>(
    'SELECT DISTINCT email_hash AS hash FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return rows.map(({ hash }) => hash)
}
