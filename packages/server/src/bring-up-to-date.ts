import type { Config } from './config.ts'
import { processesBefore } from './delivery/index.ts'
import { epochMs } from './domain/ids.ts'
import type { Clock } from './platform/clock.ts'
import type { Database } from './platform/database/database.ts'
import { factsIn } from './platform/database/facts.ts'
import { type Migrated, type MigrateOptions, migrate } from './platform/database/migrate.ts'
import { aheadOf } from './sandbox/index.ts'

/**
 * Takes the steps that the schema lacks. What takes something away from gateways that run waits for them, by the reports
 * that they write: a gateway that died counts for half a minute more.
 */
export function bringUpToDate(
  database: Database,
  { environment }: Pick<Config, 'environment'>,
  clock?: Clock,
  options: Pick<MigrateOptions, 'folder'> = {},
): Promise<Migrated> {
  return migrate(database, {
    ...options,
    async gatewaysBefore(tx, step) {
      // By the time that gateways share, which is not that of the machine of a command.
      const now = clock?.now() ?? (await factsIn(tx, database.engine)).now
      const ahead = environment === 'sandbox' ? await aheadOf(tx) : 0
      return processesBefore(tx, step, epochMs(now + ahead))
    },
  })
}
