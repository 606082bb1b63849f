import { Command } from 'commander'
import { listAccounts } from '../../../accounts/index.ts'
import type { SetAside } from '../../../delivery/index.ts'
import { wholeNumber } from '../../arguments.ts'
import { withDatabase } from '../../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'

interface SetAsideFlags extends StoreFlags, OutputFlags {
  limit: number
}

const WHAT: Readonly<Record<SetAside['kind'], string>> = {
  scheduled: 'a message, to be released',
  dispatch: 'a message, to be handed over',
  await: 'a message, to be asked about',
  callback: 'a callback, to be posted',
}

export function messagesSetAsideCommand(): Command {
  return withJson(withDatabase(new Command('set-aside')))
    .description('List messages and callbacks whose handling keeps failing, oldest first.')
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .addHelpText(
      'after',
      '\nEach is tried again once an hour by itself. The log of the gateway says what fails.',
    )
    .action(listSetAside)
}

async function listSetAside(flags: SetAsideFlags): Promise<void> {
  const { jobs, emails } = await withParts(flags, async ({ carriers, database }) => {
    const accounts = await database.read(listAccounts)
    return {
      jobs: await carriers.setAside(flags.limit),
      emails: new Map(accounts.map(({ id, email }) => [id, email])),
    }
  })
  const shown = jobs.map(({ nextAt, accountId, ticket, recipient, ...job }) => ({
    ...job,
    ...{ ticket: ticket ?? null, recipient: recipient ?? null, accountId: accountId ?? null },
    email: emails.get(accountId ?? '') ?? null,
    nextTryAt: new Date(nextAt).toISOString(),
  }))
  const cells = shown.map(({ kind, ticket, carrier, accountId, email, recipient, faults, nextTryAt }) => [
    ...[WHAT[kind], ticket ?? '', carrier, email ?? accountId ?? '', recipient ?? ''],
    ...[faults, nextTryAt.slice(0, 19)],
  ])
  const headings = ['WHAT', 'TICKET', 'CARRIER', 'ACCOUNT', 'RECIPIENT', 'FAILURES', 'NEXT TRY']
  output(flags, shown, cells.length > 0 ? table(headings, cells) : '')
  if (shown.length === 0) say('Nothing was set aside.')
  else if (shown.length === flags.limit) say(`The oldest ${flags.limit}; --limit lists more.`)
}
