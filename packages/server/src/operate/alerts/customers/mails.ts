import type { Mailed } from '../../../accounts/people/index.ts'
import { composed, type Mail } from '../../../mail/index.ts'
import { lasted, subjectOf } from '../mails.ts'
import type { AlertRow, NextAlerts } from '../next.ts'

/** The mails to people of customers after a look: one to each, of all that is new in their account. */
export function mailsToPeople(
  { raised, over }: Pick<NextAlerts, 'raised' | 'over'>,
  people: readonly Mailed[],
  pageUrl: string,
): Mail[] {
  const [news, ends] = [byAccount(raised), byAccount(over)]
  return people.map(({ accountId, account, email }) => {
    const [mine, ended] = [news.get(accountId) ?? [], ends.get(accountId) ?? []]
    const paragraphs = [
      ...mine.map(({ text }) => text),
      ...ended.map((row) => `Over, after ${lasted(row)}: ${row.text}`),
      `This is about the account of ${account}. The page Alerts has all of them, and ends these mails: ${pageUrl}`,
      'Wigwag tells of each once, and when it is over.',
    ]
    return { recipient: email, accountId, ...composed(subjectOf(mine, ended), paragraphs) }
  })
}

/** The mail that shows whether an address is a person's. */
export function codeMail({
  email,
  accountId,
  code,
  pageUrl,
}: {
  email: string
  accountId: string
  code: string
  pageUrl: string
}): Mail {
  const paragraphs = [
    `The code is ${code}. Type it on the page Alerts, and alerts come to this address: ${pageUrl}`,
    'It is good until the end of tomorrow (UTC). If you did not ask for it, there is nothing to do: no more comes.',
  ]
  return { recipient: email, accountId, ...composed('The code for alerts by mail', paragraphs) }
}

function byAccount(rows: readonly AlertRow[]): Map<string | null, AlertRow[]> {
  return Map.groupBy(rows, ({ accountId }) => accountId)
}
