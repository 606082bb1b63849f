import { Command } from 'commander'
import { bringUpToDate } from '../../bring-up-to-date.ts'
import { newerBeside } from '../../platform/database/steps.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withStore } from './store.ts'

export function migrateCommand(): Command {
  return withJson(withDatabase(new Command('migrate')))
    .description('Bring the database up to date, as the gateway does when it starts.')
    .action(migrateNow)
}

async function migrateNow(flags: StoreFlags & OutputFlags): Promise<void> {
  const { taken, waiting, gateways, beside } = await withStore(flags, bringUpToDate)
  output(flags, { steps: taken, waiting, gateways }, taken.join('\n'))
  if (beside.length > 0) say(`${newerBeside(beside)}.`)
  for (const step of waiting) say(`${step} waits: it takes away what ${gateways.join(', ')} still uses.`)
  if (waiting.length > 0)
    say(
      'This version works without it. Restart older gateways with this version, then run wigwag migrate again.',
    )
  else say(taken.length === 0 ? 'The database was up to date.' : 'The database is up to date.')
}
