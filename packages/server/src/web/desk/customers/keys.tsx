import {
  type AccountRow,
  KEEP_MS,
  type KeepOldFor,
  type KeyKind,
  OperatorError,
  type OwnKey,
} from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { dayAndTime, listTime } from '../../times.tsx'
import { hiddenFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, refusal, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { type Customer, onCustomer, readCustomer } from './one-customer.tsx'
import type { CustomerView } from './sheets.tsx'
import { pathOf, secretBox } from './words.tsx'

/** Replacing and ending what opens an account: its keys, and the connections of its assistants. */
export function mountKeys(pages: Pages, parts: DeskParts): void {
  const { workOf } = parts
  pages.change(
    '/customers/:id/keys/rotate',
    PROVEN,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const { operator } = workOf(visit.acting)
      const [kind, current] = [kindIn(form), form.get('current') ?? '']
      const keep = KEPT.find((each) => each.keep === form.get('keep'))?.keep ?? 'P1D'
      const keepMs = KEEP_MS[keep]
      const rotate = {
        async client() {
          const made = await operator.rotateSecret(account.id, keepMs, current)
          return { secret: made.clientSecret, until: made.previousUntil }
        },
        async wallet() {
          const made = await operator.rotateWalletToken(account.id, keepMs, current)
          return { secret: made.walletToken, until: made.previousUntil }
        },
        async callback() {
          const made = await operator.rotateCallbackSecret(account.id, current)
          return { secret: made.callbackSecret, until: made.previousUntil }
        },
      }
      try {
        const { secret, until } = await rotate[kind]()
        const isOver = kind !== 'callback' && keepMs === 0
        const customer = await readCustomer(parts, account, visit)
        return rotatedPage(customer, { kind, secret, until: isOver ? undefined : until })
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return madeAlready(account)
      }
    }),
  )
  pages.change(
    '/customers/:id/keys/end',
    ACT,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      try {
        await workOf(visit.acting).operator.endKey(account.id, form.get('key') ?? '')
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return noOldKey(account)
      }
      return goTo(pathOf(account, '?done=key'))
    }),
  )
  pages.change(
    '/customers/:id/connections/end',
    PROVEN,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const { connections } = workOf(visit.acting).operator
      try {
        await connections.end(account.id, form.get('connection') ?? '')
      } catch (error) {
        // Another operator, or an earlier press, has mostly done the same.
        if (!(error instanceof OperatorError)) throw error
      }
      return goTo(pathOf(account, '?done=connection'))
    }),
  )
}

function kindIn(form: URLSearchParams): KeyKind {
  const kind = form.get('kind')
  return kind === 'wallet' || kind === 'callback' ? kind : 'client'
}

function madeAlready(account: AccountRow): Page {
  return refusal(409, {
    title: 'It was replaced already',
    text: 'A new secret was made meanwhile, and is not shown again. If it is lost, replace it once more. Nothing was done now.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
}

function noOldKey(account: AccountRow): Page {
  return refusal(409, {
    title: 'There is no such old key',
    text: 'It has ended already, or it is not an old one. Nothing was done now.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
}

const KEY_WORDS: Readonly<Record<KeyKind, string>> = {
  client: 'Client secret',
  wallet: 'Wallet token',
  callback: 'Callback secret',
}

/** For how long an old key works on. */
const KEPT: readonly { keep: KeepOldFor; name: string }[] = [
  { keep: 'P1D', name: '24 hours more' },
  { keep: 'PT1H', name: '1 hour more' },
  { keep: 'P7D', name: '7 days more' },
  { keep: 'PT0S', name: 'not at all' },
]

export function keysSheet({ customer: { account, keys: all }, visit, now }: CustomerView): Markup {
  const mayAct = visit.operator.role === 'act'
  const row = (key: OwnKey) => {
    const { id, kind, ending, createdAt, usedAt, endsAt } = key
    const isOld = endsAt > 0
    const end = mayAct && isOld && (
      <>
        {' '}
        <form method="post" action={pathOf(account, '/keys/end')} class="inline">
          {hiddenFields(visit.form, { key: id })}
          <button class="link">
            End it now
            <span class="unseen">
              : the old {KEY_WORDS[kind].toLowerCase()} that ends in {ending}
            </span>
          </button>
        </form>
      </>
    )
    return (
      <div>
        <dt>{isOld ? `Old ${KEY_WORDS[kind].toLowerCase()}` : KEY_WORDS[kind]}</dt>
        <dd>
          ends in <code>{ending}</code>{' '}
          <span class="soft">
            made {listTime(createdAt, now)},{' '}
            {usedAt === 0 ? 'never used' : <>last used {listTime(usedAt, now)}</>}
            {isOld && <>, works until {dayAndTime(endsAt)}</>}
          </span>
          {end}
        </dd>
      </div>
    )
  }
  const current = all.filter(({ endsAt }) => endsAt === 0)
  return (
    <section class="sheet">
      <h2>Keys</h2>
      <dl class="facts">{all.map(row)}</dl>
      {mayAct && current.map((key) => rotation(key, account.id, visit))}
    </section>
  )
}

function rotation({ id, kind, ending }: OwnKey, accountId: string, { form }: Visit): Markup {
  const word = KEY_WORDS[kind].toLowerCase()
  const keep =
    kind === 'callback' ? (
      <p>You get a new one to give to the customer. For 24 hours callbacks carry the signatures of both.</p>
    ) : (
      <>
        <p>
          You get a new one to give to the customer. Choose how long its programs may go on with the old one,
          which ends in <code>{ending}</code>.
        </p>
        <p class="together">
          <label for={`keep-${id}`}>The old one works</label>
          <select class="box short" id={`keep-${id}`} name="keep">
            {KEPT.map(({ keep: value, name }) => (
              <option value={value}>{name}</option>
            ))}
          </select>
        </p>
      </>
    )
  return (
    <details>
      <summary>Replace the {word}</summary>
      <form method="post" action={pathOf({ id: accountId }, '/keys/rotate')}>
        {hiddenFields(form, { kind, current: id })}
        {keep}
        <p>
          <button class="second">Make a new {word}</button>
        </p>
      </form>
    </details>
  )
}

/** A new secret, shown once. */
function rotatedPage(
  { account }: Customer,
  made: { kind: KeyKind; secret: string; until: EpochMs | undefined },
): Page {
  const word = KEY_WORDS[made.kind]
  return {
    title: 'The new secret',
    place: 'customers',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            A new {word.toLowerCase()} for <bdi>{account.name}</bdi>
          </h1>
        </div>
        <section class="sheet">
          <p>
            It is shown now and never again.{' '}
            {made.until === undefined ? (
              'The old one does not work any more.'
            ) : (
              <>The old one works until {dayAndTime(made.until)}.</>
            )}
          </p>
          {secretBox('secret', word, made.secret)}
          <p>
            <a class="button second" href={pathOf(account)}>
              I have kept it
            </a>
          </p>
        </section>
      </>
    ),
  }
}
