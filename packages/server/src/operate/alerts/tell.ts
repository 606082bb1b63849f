import type { Events } from '../../callbacks/events/index.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { plainWords } from '../../kernel/text/words.ts'
import type { Mails } from '../../mail/index.ts'
import { readTroubles, type Trouble } from '../troubles/index.ts'
import { tellCustomers } from './customers/tell.ts'
import { mailsOf } from './mails.ts'
import { type AlertRow, isNothing, type NextAlerts, nextAlerts, type Seen } from './next.ts'
import { alertRows, holdLook, lastLook, storeAlerts, takeLook } from './rows.ts'

/** So many wallets are told of one by one. */
const MOST_WALLETS = 200
const LONGEST_TEXT = 1_000
/** Its event is `wallet.low`, which tells more of it. */
const TOLD_ELSEWHERE = 'wallet:'

interface Telling {
  config: Config
  events: Pick<Events, 'tellAlerts' | 'notify'>
  mails: Pick<Mails, 'queue' | 'notify'>
  /** The operators' pages, for mails; undefined where there are none. */
  deskUrl(): string | undefined
  /** The customers' page *Alerts*, for mails. */
  alertsUrl(): string
}

type Looking = Pick<Parts, 'database' | 'clock' | 'newId'>

/**
 * Looks for troubles, notes since when each is there, and tells of it. The note and what is told are one transaction, so
 * each is told once, however many gateways there are and wherever one is killed. One gateway looks at a time. Customers are
 * told of what they chose in the same way.
 */
export async function tellTroubles(parts: Looking, telling: Telling): Promise<void> {
  const { database, clock } = parts
  const now = clock.now()
  const last = await database.read(lastLook)
  if (!isDue(last, now, telling.config.alertCheckMs)) return
  if (!(await database.write((tx) => takeLook(tx, last, now), { patient: true }))) return
  await tellOperator(parts, telling, now)
  const { mails, alertsUrl: pageUrl } = telling
  await tellCustomers(parts, { mails, pageUrl, hold: (tx) => holdLook(tx, now) })
}

async function tellOperator(
  { database, clock, newId }: Looking,
  { config, events, mails, deskUrl }: Telling,
  now: EpochMs,
): Promise<void> {
  const wallets = { first: 'longest', limit: MOST_WALLETS } as const
  const { troubles, unknown } = await readTroubles(database, config, { now: clock.now, wallets })
  const seen = troubles.map(seenOf)
  const next = (rows: readonly AlertRow[]) => nextAlerts(rows, seen, unknown, now)
  if (isNothing(next(await database.read(alertRows)))) return
  const isTold = await database.write(
    async (tx) => {
      if (!(await holdLook(tx, now))) return false
      const changes = next(await alertRows(tx))
      await storeAlerts(tx, changes)
      const createdAt = clock.now()
      await events.tellAlerts(
        tx,
        eventsOf(changes).map((event) => ({ ...event, id: newId(createdAt), createdAt })),
      )
      const toOperator = mailsOf(changes, { to: config.mail?.alerts ?? [], deskUrl: deskUrl() })
      await mails.queue(tx, toOperator, 'operator')
      return changes.raised.length + changes.over.length > 0
    },
    { patient: true },
  )
  if (!isTold) return
  events.notify()
  mails.notify('operator')
}

function eventsOf({ raised, over }: NextAlerts) {
  const event = (type: 'alert.raised' | 'alert.over') => (row: AlertRow) => {
    const { toldAt: _, ...told } = row
    return { ...told, type }
  }
  return [
    ...raised.filter(({ key }) => !key.startsWith(TOLD_ELSEWHERE)).map(event('alert.raised')),
    ...over.map(event('alert.over')),
  ]
}

/** Another gateway's look counts as well. The first of two that are a moment apart would else put the other off again and again. */
function isDue(last: string | undefined, now: EpochMs, everyMs: number): boolean {
  const at = Number(last ?? 0)
  return at > now || now - at >= 0.9 * everyMs
}

function seenOf({ key, state, words, about }: Trouble): Seen {
  const text = plainWords(words)
  return {
    key: plainWords(key),
    state,
    text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text,
    accountId: about?.kind === 'customer' ? about.accountId : null,
  }
}
