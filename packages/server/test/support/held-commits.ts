import { eventually } from './eventually.ts'
import { connectTo } from './postgres.ts'

/** Commits of a server that wait for a standby which is gone. */
export interface HeldCommits {
  /** How many wait, including one of this helper, but not a gateway's test whether commits wait. */
  waiting(): Promise<number>
  /** How many of the gateways' tests wait. */
  asking(): Promise<number>
  /** Lets them go on. */
  release(): Promise<void>
}

/**
 * Lets all commits of a server wait. The server reads its settings again in its own time, so commits are made until one
 * waits.
 */
export async function holdCommits(url: string): Promise<HeldCommits> {
  const [control, committing] = [await connectTo(url), await connectTo(url)]
  const waitFor = async (standbys: string) => {
    await control.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
    await control.query('SELECT pg_reload_conf()')
  }
  async function count(and: string): Promise<number> {
    const { rows } = await control.query<{ n: number }>(
      `SELECT count(*)::INT AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND ${and}`,
    )
    return rows[0]?.n ?? 0
  }
  const waiting = () => count("query NOT LIKE '%''wigwag''%'")
  let held: Promise<unknown> = Promise.resolve()
  const commit = () => {
    held = held.then(() => committing.query("SELECT pg_logical_emit_message(true, 'test', '')"))
  }
  await waitFor('gone')
  await eventually('commits wait', async () => {
    commit()
    return (await waiting()) > 0
  })
  return {
    waiting,
    asking: () => count("query LIKE '%''wigwag''%'"),
    async release() {
      await waitFor('')
      await held
      await control.end()
      await committing.end()
    },
  }
}
