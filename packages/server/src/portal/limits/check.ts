import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../../platform/database/database.ts'

export interface Registrations {
  /** Clients that registered themselves. */
  registered: number
  /** Those of them that no person ever allowed in. */
  unused: number
}

/** Counts the clients that registered themselves, for `wigwag doctor`. */
export async function countRegistrations({ run }: Tx): Promise<Registrations> {
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

/** Counts the failed sign-in attempts that are still stored. */
export async function countFailures({ run }: Tx): Promise<Failures> {
  const [row] = await run<Failures>(
    'SELECT count(*) AS failures, max(at) AS newest FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return row ?? { failures: 0, newest: null }
}

/** The digests of e-mail addresses with failed attempts. */
export async function failedEmails({ run }: Tx): Promise<string[]> {
  const rows = await run<{ hash: string }>(
    'SELECT DISTINCT email_hash AS hash FROM sign_in_attempts WHERE failed = 1',
    [],
  )
  return rows.map(({ hash }) => hash)
}
