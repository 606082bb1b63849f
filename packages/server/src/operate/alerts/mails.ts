import { counted, span } from '@wigwag/contract'
import { composed, type Mail } from '../../mail/index.ts'
import type { AlertRow, NextAlerts } from './next.ts'

/** So many customers are told of in mails of their own; of more of them there is a number. */
const MOST_CUSTOMERS = 20

/**
 * The mails to the operator after a look. A customer's alerts have a mail of their own, which goes with the customer when
 * it is erased; the rest shares one.
 */
export function mailsOf(
  { raised, over }: Pick<NextAlerts, 'raised' | 'over'>,
  { to, deskUrl }: { to: readonly string[]; deskUrl: string | undefined },
): Mail[] {
  if (to.length === 0 || raised.length + over.length === 0) return []
  const of = (accountId: string | null) => ({
    raised: raised.filter((row) => row.accountId === accountId),
    over: over.filter((row) => row.accountId === accountId),
  })
  const accounts = [...new Set([...raised, ...over].flatMap(({ accountId }) => accountId ?? []))]
  const more = accounts.length - MOST_CUSTOMERS
  const general = of(null)
  const lines = more > 0 ? [`The same is so of ${counted(more, 'more customer')}: the desk names them.`] : []
  const groups = [
    ...(general.raised.length + general.over.length + lines.length > 0
      ? [{ accountId: null, ...mailOf(general, lines, deskUrl) }]
      : []),
    ...accounts
      .slice(0, MOST_CUSTOMERS)
      .map((accountId) => ({ accountId, ...mailOf(of(accountId), [], deskUrl) })),
  ]
  return groups.flatMap((mail) => to.map((recipient) => ({ ...mail, recipient })))
}

function mailOf(
  { raised, over }: Pick<NextAlerts, 'raised' | 'over'>,
  lines: readonly string[],
  deskUrl: string | undefined,
): Pick<Mail, 'subject' | 'body'> {
  return composed(subjectOf(raised, over), [
    ...raised.map(({ state, text }) => `${state === 'fail' ? 'Failed' : 'Warning'}: ${text}`),
    ...over.map((row) => `Over, after ${lasted(row)}: ${row.text}`),
    ...lines,
    ...(deskUrl === undefined ? [] : [`The desk: ${deskUrl}`]),
    'Wigwag tells of each once, and when it is over.',
  ])
}

/** The subject of a mail about alerts: the text of one, or how many there are. */
export function subjectOf(raised: readonly AlertRow[], over: readonly AlertRow[]): string {
  const [one = over[0]] = raised
  if (raised.length + over.length === 1 && one) return `${raised.length === 1 ? '' : 'Over: '}${one.text}`
  const parts = [
    ...(raised.length > 0 ? [counted(raised.length, 'alert')] : []),
    ...(over.length > 0 ? [`${over.length} over`] : []),
  ]
  return `Wigwag: ${parts.join(', ') || 'customers'}`
}

/** How long an alert was there. */
export function lasted({ seenAt, goneAt }: AlertRow): string {
  return span((goneAt ?? seenAt) - seenAt)
}
