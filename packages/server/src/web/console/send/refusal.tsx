import type { Micros } from '@wigwag/contract'
import type { Problem } from '../../../kernel/errors.ts'
import { available } from '../../../kernel/money/ledger.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { knownWallet } from '../../../money/index.ts'
import { type Failures, quoted } from '../../../net/pages/error.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Database } from '../../../store/database.ts'
import { money } from '../../widgets/money.tsx'
import type { FieldName } from './fields.tsx'

/** Why a form was not done, as its page says it. */
export interface Refusal {
  status: number
  /** Whether anything was sent, in a sentence. */
  what: string
  advice?: string
  /** Errors by field. */
  fields: Partial<Record<FieldName, string>>
  /** Whether the form needs another key: its own was used. */
  keyIsUsed?: boolean
  /** The id under which the log has it. */
  id?: string
}

const NOTHING_SENT = 'Nothing was sent.'

/** Words for what refused a send. An unexpected error is reported. */
export function refusalOf(error: unknown, { problemOf, onFault }: Failures): Refusal {
  const problem = problemOf(error)
  if (!problem) return { ...unknown(500), id: onFault(error) }
  const { code, status } = problem
  if (code === 'outcome_unknown') return unknown(status)
  if (status === 409) return { ...unknown(status), what: 'This form is being sent right now.' }
  if (status === 503)
    return {
      status,
      what: NOTHING_SENT,
      advice: 'The gateway can’t take messages right now. Press the button again in a moment.',
      fields: {},
    }
  if (code === 'idempotency_key_reused')
    return {
      status,
      what: 'Not sent: this form was sent before, with something else in it.',
      advice: 'Press the button once more to send it as it is now, as another message.',
      fields: {},
      keyIsUsed: true,
    }
  return { status: status < 500 ? 422 : status, what: NOTHING_SENT, ...namedFields(problem) }
}

/** A key sends once, so the safe way to find out is to send again. */
function unknown(status: number): Refusal {
  return {
    status,
    what: 'It is not known whether it was sent.',
    advice: 'Press the button again to find out. However often you press it, this form sends once.',
    fields: {},
  }
}

function namedFields({ code, errors, message }: Problem): Pick<Refusal, 'fields' | 'advice'> {
  if (code === 'sender_not_approved') return { fields: { From: message } }
  const fields = Object.fromEntries(
    errors.map(({ pointer, detail }) => [pointer.split('/')[1] ?? '', detail]),
  )
  return errors.length > 0 ? { fields } : { fields, advice: message }
}

/** The wallet's balance less its holds. */
export async function spendable(database: Database, { wallet }: WalletPrincipal): Promise<Micros> {
  return available(await database.read((tx) => knownWallet(tx, wallet.id)))
}

interface Figures {
  cost: Micros
  available: Micros
  currency: string
}

/** As `refusalOf`; for too little money with the figures, if they can be read now. */
export async function refusalWithFigures(
  error: unknown,
  failures: Failures,
  { figures, advice }: { figures: () => Promise<Figures>; advice: string },
): Promise<Refusal> {
  if (failures.problemOf(error)?.code !== 'insufficient_funds') return refusalOf(error, failures)
  try {
    return tooLittle(await figures(), advice)
  } catch (second) {
    if (!failures.problemOf(second)) failures.onFault(second)
    return refusalOf(error, failures)
  }
}

function tooLittle({ cost, available, currency }: Figures, advice: string): Refusal {
  const what = `Not sent: it costs ${money(cost, currency)} and the balance is ${money(available, currency)}.`
  return { status: 402, what, advice, fields: {} }
}

/** The note on top of a form that was refused. Each field that is wrong is a link to it. */
export function refusalNote(
  { what, advice, fields, id }: Refusal,
  labels: Partial<Record<FieldName, string>>,
): Markup {
  const wrong = Object.entries(labels).flatMap(([name, label]) => {
    const detail = fields[name as FieldName]
    return detail === undefined
      ? []
      : [
          <li>
            <a href={`#${name}`}>{label}</a>: {detail}
          </li>,
        ]
  })
  return (
    <div class="note bad" role="alert">
      <p>
        <span class="strong">{what}</span> {advice}
      </p>
      {id !== undefined && <p class="soft">{quoted(id)}</p>}
      {wrong.length > 0 && <ul>{wrong}</ul>}
    </div>
  )
}
