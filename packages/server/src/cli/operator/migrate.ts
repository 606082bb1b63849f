import { Command } from 'commander'
import { migrate } from '../../platform/database/migrate.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withStore } from './store.ts'

export function migrateCommand(): Command {
  return withJson(withDatabase(new Command('migrate')))
    .description('Bring the database up to date, as the gateway does when it starts.')
    .action(bringUpToDate)
}

async function bringUpToDate(flags: StoreFlags & OutputFlags): Promise<void> {
  const steps = await withStore(flags, (database) => migrate(database))
  output(flags, { steps }, steps.join('\n'))
  say(steps.length === 0 ? 'The database was up to date.' : 'The database is up to date.')
}
