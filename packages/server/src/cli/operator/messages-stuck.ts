import { Command } from 'commander'
import type { WhyStuck } from '../../delivery/index.ts'
import type { Since } from '../../domain/since.ts'
import { since, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, span, table, withJson } from '../terminal.ts'
import { type StoreFlags, withOffice } from './office.ts'

interface StuckFlags extends StoreFlags, OutputFlags {
  before?: Since
  limit: number
}

const IN_WORDS: Readonly<Record<WhyStuck, string>> = {
  uncertain: 'the carrier never said whether it took it: wigwag messages settle',
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
    .description('List messages that wait for longer than they should, and why, oldest first.')
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
  const { now, found } = await withOffice(flags, async ({ carriers, clock }) => {
    const now = clock.now()
    const before = flags.before?.(now) ?? Math.max(0, now - USUAL_MS)
    return { now, found: await carriers.stuck(before, flags.limit) }
  })
  const messages = found.map(({ createdAt, since, ...message }) => ({
    ...message,
    createdAt: new Date(createdAt).toISOString(),
    since: new Date(since).toISOString(),
    waitsSeconds: Math.max(0, Math.floor((now - since) / 1_000)),
  }))
  const cells = messages.map(({ ticket, waitsSeconds, carrier, accountId, recipient, why }) => [
    ...[ticket, span(waitsSeconds * 1_000), carrier || '(none)', accountId, recipient, IN_WORDS[why]],
  ])
  const headings = ['TICKET', 'WAITS', 'CARRIER', 'ACCOUNT', 'RECIPIENT', 'WHY']
  output(flags, messages, cells.length > 0 ? table(headings, cells) : '')
  if (messages.length === 0) say('No message waits for longer than it should.')
  else if (messages.length === flags.limit) say(`The oldest ${flags.limit}; --limit lists more.`)
}
