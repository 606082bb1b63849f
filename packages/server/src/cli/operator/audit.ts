import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import { actorTyped, withNames } from '../../accounts/people/index.ts'
import type { Since } from '../../kernel/time/spans.ts'
import { type AuditRow, readAudit } from '../../store/audit/index.ts'
import { personName, since, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withParts } from './store.ts'

interface AuditFlags extends StoreFlags, OutputFlags {
  account?: string
  since?: Since
  action?: string
  actor?: string
  limit: number
}

export function auditCommand(): Command {
  return withJson(withDatabase(new Command('audit')))
    .description('Show who did what, newest first, and what was refused, counted by the hour.')
    .option('--account <account>', 'only what concerns this account; its ID or e-mail')
    .option('--since <time>', 'only what was done since: 6h, 2d, a day or a time in UTC', since)
    .option('--action <action>', 'only actions that begin so, such as wallet or wallet.credit')
    .option(
      '--actor <actor>',
      'only of actors that begin so, such as operator:ada or person:ada@example.com',
      personName,
    )
    .option('--limit <number>', 'how many rows to list', wholeNumber, 100)
    .action(showAudit)
}

async function showAudit(flags: AuditFlags): Promise<void> {
  const { account, action, actor, limit } = flags
  const rows = await withParts(flags, ({ database, clock }) =>
    database.read(async (tx) => {
      const accountId = account === undefined ? undefined : (await requireAccount(tx, account)).id
      const filter = { accountId, action, since: flags.since?.(clock.now()) }
      const by = actor === undefined ? undefined : await actorTyped(tx, actor)
      return withNames(tx, await readAudit(tx, { ...filter, actor: by }, limit))
    }),
  )
  const shown = rows.map(shownRow)
  const cells = shown.map(({ at, actor, action, accountId, detail }) => [
    at.slice(0, 19),
    action,
    actor,
    accountId ?? '',
    JSON.stringify(detail),
  ])
  const text = table(['TIME', 'ACTION', 'BY', 'ACCOUNT', 'DETAIL'], cells)
  output(flags, shown, cells.length > 0 ? text : '')
  if (rows.length === 0) say('There are no such rows.')
  else if (rows.length === limit) say(`The newest ${limit}; --limit lists more.`)
}

function shownRow({ id, at, actor, action, accountId, detail }: AuditRow) {
  return { id, at: new Date(at).toISOString(), actor, action, accountId, detail }
}
