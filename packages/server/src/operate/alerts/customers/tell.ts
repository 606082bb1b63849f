import { markTold, type NewAddress } from '../../../accounts/index.ts'
import { mailedPeople } from '../../../accounts/people/index.ts'
import type { Parts } from '../../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { plainWords } from '../../../kernel/text/words.ts'
import type { Mails } from '../../../mail/index.ts'
import type { Tx } from '../../../store/database.ts'
import { insertRows } from '../../../store/rows.ts'
import { writeSetting } from '../../../store/settings.ts'
import { type AlertRow, isNothing, nextAlerts } from '../next.ts'
import { mailsToPeople } from './mails.ts'
import { lookAtCustomers, wantAddresses } from './read.ts'
import { type AccountAlert, alertsThere, asAlert, SHOWN_MS, storeChanges } from './rows.ts'

interface TellingCustomers {
  mails: Pick<Mails, 'queue' | 'notify'>
  /** The address of the page *Alerts*. */
  pageUrl(): string
  /** Whether this gateway still has the look. */
  hold(tx: Tx): Promise<boolean>
  /** So many accounts have their turn; a thousand when left out. */
  mostAccounts?: number | undefined
}

/**
 * Looks at the accounts whose turn it is, for what they chose to be told of. As for the operator, the note and the mails
 * are one transaction.
 */
export async function tellCustomers(
  { database, clock, newId }: Pick<Parts, 'database' | 'clock' | 'newId'>,
  { mails, pageUrl, hold, mostAccounts }: TellingCustomers,
): Promise<void> {
  const now = clock.now()
  const { stretch, next, seen, rows, addresses } = await database.read((tx) =>
    lookAtCustomers(tx, now, mostAccounts),
  )
  const changesOf = (known: readonly AccountAlert[]) => nextAlerts(known.map(asAlert), seen, [], now)
  if (isNothing(changesOf(rows)) && addresses.length === 0 && next === stretch.after) return
  const isTold = await database.write(
    async (tx) => {
      if (!(await hold(tx))) return false
      if (next !== stretch.after) await writeSetting(tx, 'account_alerts_after', next)
      const known = await alertsThere(tx, stretch)
      const changes = changesOf(known)
      await storeChanges(tx, known, changes, () => newId(now))
      const raised = [...changes.raised, ...(await noteAddresses(tx, addresses, now, () => newId(now)))]
      const told = { raised, over: changes.over }
      const ids = [...raised, ...changes.over].flatMap(({ accountId }) => accountId ?? [])
      if (ids.length === 0) return false
      const people = await mailedPeople(tx, [...new Set(ids)])
      await mails.queue(tx, mailsToPeople(told, people, pageUrl()), 'people')
      return people.length > 0
    },
    { patient: true },
  )
  if (isTold) mails.notify('people')
}

/** Notes addresses that are new for a key, for those who want to know. There is no end to see of them, so they have one. */
async function noteAddresses(
  tx: Tx,
  addresses: readonly NewAddress[],
  now: EpochMs,
  newId: () => string,
): Promise<AlertRow[]> {
  const wanting = await wantAddresses(tx, [...new Set(addresses.map(({ accountId }) => accountId))])
  const rows = addresses
    .filter(({ accountId }) => wanting.has(accountId))
    .map(
      ({ accountId, keyId, address, ending, usedAt }): AccountAlert => ({
        id: newId(),
        accountId,
        key: `address:${keyId}:${address}`,
        text: plainWords(
          `The API key${ending === '' ? '' : ` that ends in ${ending}`} was used from ${address}, where it was not used in the last 30 days.`,
        ),
        seenAt: usedAt,
        toldAt: now,
        goneAt: null,
        overAt: epochMs(now + SHOWN_MS),
      }),
    )
  await insertRows(tx, tx.t.accountAlerts, rows)
  await markTold(tx, addresses)
  return rows.map(asAlert)
}
