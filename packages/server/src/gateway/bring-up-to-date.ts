import type { Config } from '../config/config.ts'
import { processesBefore } from '../delivery/index.ts'
import { epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Database } from '../store/database.ts'
import { factsIn } from '../store/facts.ts'
import { type Migrated, type MigrateOptions, migrate } from '../store/schema/migrate.ts'
import { aheadOf } from '../store/settings.ts'

/**
 * Takes the steps that the schema lacks. A narrow step waits until no running gateway uses what it removes.
 * Gateways are known by their reports, so a dead one counts for half a minute more.
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
