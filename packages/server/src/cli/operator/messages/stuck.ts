import { Command } from 'commander'
import { listAccounts } from '../../../accounts/index.ts'
import type { SetAside, WhyStuck } from '../../../delivery/index.ts'
import { epochMs } from '../../../kernel/ids.ts'
import type { Since } from '../../../kernel/time/spans.ts'
import { since, wholeNumber } from '../../arguments.ts'
import { withDatabase } from '../../settings.ts'
import { counted, type OutputFlags, output, say, span, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'

interface StuckFlags extends StoreFlags, OutputFlags {
  before?: Since
  limit: number
}

const IN_WORDS: Readonly<Record<WhyStuck, string>> = {
  'awaiting-receipt': 'the carrier took it, and has sent no receipt',
  failing: 'handling it fails unexpectedly: the log of the gateway says more',
  'set-aside': 'handling it failed often, and is tried once an hour: the log of the gateway says more',
  'not-released': 'its time has come, and no gateway has begun with it',
  'no-gateway': 'no gateway runs',
  'no-carrier': 'no carrier takes it now: wigwag carriers test shows its route',
  'carrier-paused': 'its carrier is paused: wigwag carriers resume',
  'carrier-away': 'its carrier is not connected: wigwag carriers list',
  'waiting-for-carrier': 'its carrier has not taken it yet: wigwag carriers list',
}

export function messagesStuckCommand(): Command {
  return withJson(withDatabase(new Command('stuck')))
    .description(
      'List messages that wait for longer than they should, and why, oldest first; uncertain ones are only counted.',
    )
    .option(
      '--before <time>',
      'those that have waited since before: 30m, 6h, a day or a time in UTC (default: 10m)',
      since,
    )
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .action(listStuck)
}

/** Longer than carriers take in normal times. */
const USUAL_MS = 600_000

async function listStuck(flags: StuckFlags): Promise<void> {
  const { now, found, sums, emails } = await withParts(flags, async ({ carriers, clock, database }) => {
    const now = clock.now()
    const before = flags.before?.(now) ?? epochMs(Math.max(0, now - USUAL_MS))
    const found = await carriers.stuck(before, flags.limit)
    const accounts = await database.read(listAccounts)
    const emails = new Map(accounts.map(({ id, email }) => [id, email]))
    return { now, found, sums: await carriers.uncertainSums({ before }), emails }
  })
  const uncertain = sums.reduce((total, sum) => total + sum.messages, 0)
  const messages = found.map(({ createdAt, since, ...message }) => ({
    ...message,
    email: emails.get(message.accountId) ?? null,
    createdAt: new Date(createdAt).toISOString(),
    since: new Date(since).toISOString(),
    waitsSeconds: Math.max(0, Math.floor((now - since) / 1_000)),
  }))
  const cells = messages.map(({ ticket, waitsSeconds, carrier, accountId, email, recipient, why }) => [
    ticket,
    span(waitsSeconds * 1_000),
    carrier || '(none)',
    email ?? accountId,
    recipient,
    IN_WORDS[why],
  ])
  const headings = ['TICKET', 'WAITS', 'CARRIER', 'ACCOUNT', 'RECIPIENT', 'WHY']
  output(flags, { messages, uncertain }, cells.length > 0 ? table(headings, cells) : '')
  const others = uncertain > 0 ? ' but the uncertain ones' : ''
  if (messages.length === 0) say(`No message waits for longer than it should${others}.`)
  else if (messages.length === flags.limit) say(`The oldest ${flags.limit}; --limit lists more.`)
  if (uncertain > 0)
    say(
      `${counted(uncertain, 'message is', 'messages are')} uncertain: wigwag messages uncertain lists them.`,
    )
}

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
    ticket: ticket ?? null,
    recipient: recipient ?? null,
    accountId: accountId ?? null,
    email: emails.get(accountId ?? '') ?? null,
    nextTryAt: new Date(nextAt).toISOString(),
  }))
  const cells = shown.map(({ kind, ticket, carrier, accountId, email, recipient, faults, nextTryAt }) => [
    WHAT[kind],
    ticket ?? '',
    carrier,
    email ?? accountId ?? '',
    recipient ?? '',
    faults,
    nextTryAt.slice(0, 19),
  ])
  const headings = ['WHAT', 'TICKET', 'CARRIER', 'ACCOUNT', 'RECIPIENT', 'FAILURES', 'NEXT TRY']
  output(flags, shown, cells.length > 0 ? table(headings, cells) : '')
  if (shown.length === 0) say('Nothing was set aside.')
  else if (shown.length === flags.limit) say(`The oldest ${flags.limit}; --limit lists more.`)
}
