import { Command } from 'commander'
import { withDatabase } from '../settings.ts'
import { lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { type StoreFlags, withOffice } from './office.ts'

export function keysCommand(): Command {
  const rotate = withJson(withDatabase(new Command('rotate')))
    .description('Give the sign-in server new keys, beside which the old ones verify for another 30 days.')
    .action(rotateKeys)
  return new Command('keys').description('The keys that the sign-in server signs with.').addCommand(rotate)
}

async function rotateKeys(flags: StoreFlags & OutputFlags): Promise<void> {
  const { kid, retired } = await withOffice(flags, ({ keyring }) => keyring.rotate())
  output(flags, { kid, retired }, lines([['new key', kid]]))
  say(`Running gateways sign with it within a second; ${retired} older keys were retired.`)
}
