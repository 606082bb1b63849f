import { Command, Option } from 'commander'
import { listAccounts, requireAccount } from '../../accounts/index.ts'
import { type LoggedCallback, MOST_REPLAYS, type ReplayedState } from '../../callbacks/index.ts'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import type { Since } from '../../kernel/time/spans.ts'
import { since, ticket, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { counted, Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

interface AccountFlags extends StoreFlags, OutputFlags {
  account?: string
}

interface ListFlags extends AccountFlags {
  state?: LoggedCallback['state']
  since?: Since
  limit: number
}

export function callbacksCommand(): Command {
  const list = withJson(withDatabase(new Command('list')))
    .description('List callbacks with their last attempt, newest first.')
    .option('--account <account>', 'only those of this account; its ID or e-mail')
    .addOption(
      new Option('--state <state>', 'only those in this state').choices(['pending', 'delivered', 'dead']),
    )
    .option('--since <time>', 'only those made since: 6h, 2d, a day or a time in UTC', since)
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .action(listAll)
  const replay = withJson(withAudit(new Command('replay')))
    .description('Post again at once what was given up and what waits for a later attempt.')
    .option('--ticket <ticket>', 'the callback of this message, also one that was delivered', ticket)
    .addOption(
      new Option(
        '--state <state>',
        'only what was given up (dead), or what waits for a later attempt (pending)',
      ).choices(['dead', 'pending']),
    )
    .option('--since <time>', 'only those made since: 6h, 2d, a day or a time in UTC', since)
    .option('--account <account>', 'only those of this account; its ID or e-mail')
    .addHelpText('after', REPLAY_HELP)
    .action(replayAll)
  return new Command('callbacks')
    .description('What is posted to the receivers of customers.')
    .addCommand(list)
    .addCommand(replay)
}

const REPLAY_HELP = `
For when a receiver works again. Name --ticket, or --state, --since or both. A
callback is made when its message ends and given up about three days later, so
--since 3d misses what was given up: --state dead finds all of it. Each gets a
new plan of attempts; one that was posted again ${MOST_REPLAYS} times today is left.`

async function listAll(flags: ListFlags): Promise<void> {
  const { found, emails } = await withParts(flags, async ({ callbacks, database, clock }) => {
    const account = await accountOf(flags, database)
    const filter = { ticket: undefined, state: flags.state, since: flags.since?.(clock.now()) }
    const accounts = await database.read(listAccounts)
    return {
      found: await callbacks.list(account, filter, flags.limit),
      emails: new Map(accounts.map(({ id, email }) => [id, email])),
    }
  })
  const shown = found.map(({ id, messageId, accountId, url, state, createdAt, nextAttemptAt, attempts }) => {
    const last = attempts.at(-1)
    return {
      id,
      ticket: messageId,
      accountId,
      email: emails.get(accountId) ?? null,
      url,
      state,
      createdAt: new Date(createdAt).toISOString(),
      attempts: last?.seq ?? 0,
      lastStatus: last?.httpStatus ?? null,
      lastError: last?.errorClass ?? null,
      nextAttemptAt: nextAttemptAt === undefined ? null : new Date(nextAttemptAt).toISOString(),
    }
  })
  const cells = shown.map((one) => [
    one.createdAt.slice(0, 19),
    one.state,
    one.attempts,
    one.lastStatus ?? one.lastError ?? '',
    one.nextAttemptAt?.slice(0, 19) ?? '',
    one.email ?? one.accountId,
    one.ticket,
    one.url,
  ])
  const headings = ['MADE', 'STATE', 'ATTEMPTS', 'LAST ANSWER', 'NEXT ATTEMPT', 'ACCOUNT', 'TICKET', 'URL']
  output(flags, shown, cells.length > 0 ? table(headings, cells) : '')
  if (shown.length === 0) say('There are no such callbacks.')
  else if (shown.length === flags.limit) say(`The newest ${flags.limit}; --limit lists more.`)
}

interface ReplayFlags extends AccountFlags {
  ticket?: string
  state?: ReplayedState
  since?: Since
}

async function replayAll(flags: ReplayFlags): Promise<void> {
  const { state } = flags
  if (flags.ticket !== undefined) return replayOne(flags.ticket, flags)
  if (state === undefined && flags.since === undefined)
    throw new Failed('--ticket, --state or --since: expected at least one of them, such as --state dead', 2)
  const { accounts, since } = await withParts(flags, async ({ callbacks, database, clock }) => {
    const since = flags.since?.(clock.now())
    return { since, accounts: await callbacks.replay(await accountOf(flags, database), { since, state }) }
  })
  const total = accounts.reduce((sum, { replayed }) => sum + replayed, 0)
  const skipped = accounts.reduce((sum, { skipped }) => sum + skipped, 0)
  const text = table(
    ['ACCOUNT', 'CALLBACKS'],
    accounts.map(({ accountId, replayed }) => [accountId, replayed]),
  )
  output(
    flags,
    {
      since: since === undefined ? null : new Date(since).toISOString(),
      state: state ?? null,
      replayed: total,
      skipped,
      accounts: accounts.map(({ accountId, replayed, skipped }) => ({
        accountId,
        callbacks: replayed,
        skipped,
      })),
    },
    total > 0 ? text : '',
  )
  if (skipped > 0)
    say(
      `${counted(skipped, 'callback was', 'callbacks were')} left: posted again ${MOST_REPLAYS} times today already.`,
    )
  else if (total === 0) return say('There are no such callbacks, so none is posted again.')
  if (total === 0) return
  say(
    `${counted(total, 'callback is', 'callbacks are')} posted again by the running gateway, within seconds.`,
  )
}

async function replayOne(ticket: string, flags: ReplayFlags): Promise<void> {
  const { state, since, account } = flags
  if (state !== undefined || since !== undefined || account !== undefined)
    throw new Failed('--ticket names one message: leave out --state, --since and --account', 2)
  const { replayed, skipped } = await withParts(flags, ({ callbacks }) => callbacks.replayOf(ticket))
  output(flags, { ticket, replayed, skipped }, '')
  if (skipped > 0) say(`It was left: posted again ${MOST_REPLAYS} times today already.`)
  else if (replayed === 0) say('It has no callback, or that is about to be posted.')
  else say('It is posted again by the running gateway, within seconds.')
}

/** The ID of the account that was named; undefined for all. */
async function accountOf(
  { account }: AccountFlags,
  database: OperatorParts['database'],
): Promise<string | undefined> {
  if (account === undefined) return undefined
  return (await database.read((tx) => requireAccount(tx, account))).id
}
