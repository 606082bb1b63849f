import { available } from '../../../kernel/money/ledger.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { countOpen, type InsightRow, type OpenMessages } from '../../../messages/history/index.ts'
import { knownWallet, warningOf } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { money } from '../../widgets/money.tsx'
import type { ConsoleParts } from '../parts.ts'
import { dayAt, startOf } from '../widgets/days.tsx'

/** A wallet's balance, its holds, and its spending today. */
export interface Standing {
  currency: string
  posted: number
  held: number
  available: number
  /** The amount below which it is low; undefined for never. */
  warnBelow: number | undefined
  /** How many entries its ledger has. */
  entries: number
  open: OpenMessages
  today: InsightRow
}

export async function readStanding(
  { database, history, clock }: ConsoleParts,
  principal: WalletPrincipal,
): Promise<Standing> {
  const { id, currency } = principal.wallet
  const today = dayAt(clock.now())
  const range = { from: startOf(today), before: startOf(today + 1) }
  const { totals } = await history.report(principal, range)
  return database.read(async (tx) => {
    const wallet = await knownWallet(tx, id)
    const { posted, held, entries } = wallet
    const open = await countOpen(tx, id)
    const warnBelow = await warningOf(tx, id)
    return {
      currency,
      posted,
      held,
      available: available(wallet),
      warnBelow,
      entries,
      open,
      today: totals,
    }
  })
}

export function standingFigures({
  currency,
  posted,
  held,
  available,
  warnBelow,
  open,
  today,
}: Standing): Markup {
  const amount = (micros: number) => <>{money(micros, currency)}</>
  return (
    <dl class="sheet figures">
      <div>
        <dt>Balance</dt>
        <dd>
          {amount(available)}
          {warnBelow !== undefined && <small>low below {amount(warnBelow)}</small>}
        </dd>
      </div>
      <div>
        <dt>Held</dt>
        <dd>
          {amount(held)}
          <small>{heldFor(open)}</small>
        </dd>
      </div>
      <div>
        <dt>Posted balance</dt>
        <dd>
          {amount(posted)}
          <small>balance + held</small>
        </dd>
      </div>
      <div>
        <dt>Spent today</dt>
        <dd>
          {amount(today.spend)}
          <small>
            {today.sent === 0
              ? 'nothing sent'
              : `${countOf(today.delivered)} of ${countOf(today.sent)} sent today`}
          </small>
        </dd>
      </div>
    </dl>
  )
}

function heldFor({ pending, scheduled, more }: OpenMessages): string {
  if (more) return 'more than a thousand messages'
  if (pending + scheduled === 0) return 'nothing under way'
  const parts = [pending > 0 && `${pending} under way`, scheduled > 0 && `${scheduled} scheduled`]
  return parts.filter(Boolean).join(', ')
}
