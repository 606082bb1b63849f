import { Command } from 'commander'
import { bringUpToDate } from '../../bring-up-to-date.ts'
import { placeOfUrl } from '../../moving/index.ts'
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
  const { taken, waiting, gateways, beside, place } = await withStore(flags, async (database, config) => ({
    ...(await bringUpToDate(database, config)),
    place: placeOfUrl(config.database),
  }))
  output(flags, { database: place, steps: taken, waiting, gateways }, taken.join('\n'))
  if (beside.length > 0) say(`${newerBeside(beside)}.`)
  for (const step of waiting) say(`${step} waits: it takes away what ${gateways.join(', ')} still uses.`)
  if (waiting.length > 0)
    say(
      `This version works without it. Restart older gateways of ${place} with this version, then run wigwag migrate again.`,
    )
  else say(`The database ${place} ${taken.length === 0 ? 'was' : 'is'} up to date.`)
}
