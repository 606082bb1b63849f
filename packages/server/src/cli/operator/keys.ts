import { Command } from 'commander'
import type { KeyKind, OwnKey } from '../../accounts/index.ts'
import { withDatabase } from '../settings.ts'
import { lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

export function keysCommand(): Command {
  const list = withJson(withDatabase(new Command('list')))
    .description('List the keys of an account that still work, and when each was last used.')
    .argument('<account>', 'its ID or e-mail')
    .action(listKeys)
  const end = withJson(withAudit(new Command('end')))
    .description('End an old key of an account now, without making another.')
    .argument('<account>', 'its ID or e-mail')
    .argument('<key>', 'the ID of the key, as wigwag keys list shows it')
    .addHelpText('after', '\nThe current key is replaced by wigwag account rotate-secret and its like.')
    .action(endKey)
  const rotate = withJson(withAudit(new Command('rotate')))
    .description('Give the sign-in server new keys, beside which the old ones verify for another 30 days.')
    .action(rotateKeys)
  return new Command('keys')
    .description('The keys of accounts, and those that the sign-in server signs with.')
    .addCommand(list)
    .addCommand(end)
    .addCommand(rotate)
}

const KINDS: Readonly<Record<KeyKind, string>> = {
  client: 'client secret',
  wallet: 'wallet token',
  callback: 'callback secret',
}

async function listKeys(account: string, flags: Flags): Promise<void> {
  const keys = await withParts(flags, ({ operator }) => operator.keys(account))
  const shown = keys.map(shownKey)
  const cells = shown.map(({ keyId, kind, ending, createdAt, lastUsedAt, endsAt }) => [
    keyId,
    KINDS[kind],
    ending,
    createdAt.slice(0, 10),
    lastUsedAt?.slice(0, 16) ?? 'never',
    endsAt?.slice(0, 16) ?? 'it is replaced',
  ])
  output(flags, shown, table(['KEY', 'KIND', 'ENDS IN', 'SINCE', 'LAST USED', 'WORKS UNTIL'], cells))
}

async function endKey(account: string, id: string, flags: Flags): Promise<void> {
  const found = await withParts(flags, ({ operator }) => operator.endKey(account, id))
  const { endsAt: _, ...key } = shownKey(found)
  output(flags, { ...key, ended: true }, '')
  const used = key.lastUsedAt === null ? 'never used' : `last used at ${key.lastUsedAt}`
  say(`The old ${KINDS[key.kind]} that ends in ${key.ending} stops working within a second; it was ${used}.`)
}

function shownKey({ id, kind, ownerId, ending, createdAt, usedAt, endsAt }: OwnKey) {
  const time = (at: number) => (at === 0 ? null : new Date(at).toISOString())
  return {
    keyId: id,
    kind,
    ownerId,
    ending,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: time(usedAt),
    endsAt: time(endsAt),
  }
}

async function rotateKeys(flags: Flags): Promise<void> {
  const { kid, retired } = await withParts(flags, ({ keyring }) => keyring.rotate())
  output(flags, { kid, retired }, lines([['new key', kid]]))
  say(`Running gateways sign with it within a second; ${retired} older keys were retired.`)
}
