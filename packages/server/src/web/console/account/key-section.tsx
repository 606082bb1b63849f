import type { KeepOldFor, KeyKind, OwnKey, Rotated } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { dayAndTime, listTime } from '../../times.tsx'

export interface KeysPageView {
  keys: readonly OwnKey[]
  now: EpochMs
  form: FormTicket
  /** The demo account of a sandbox, whose secrets are on another page. */
  isDemo: boolean
  /** The new key. Its secret is shown this once. */
  made: Rotated | undefined
  /** Why nothing was made. */
  problem: string | undefined
  /** Whether an old key was just ended. */
  ended: boolean
}

const TEXTS: Readonly<Record<KeyKind, Record<'title' | 'one' | 'rotate' | 'button' | 'how', string>>> = {
  client: {
    title: 'Client',
    one: 'secret',
    rotate: 'Rotate the client secret',
    button: 'Make a new secret',
    how: 'You get a new secret. The old one works beside it for as long as you choose.',
  },
  wallet: {
    title: 'Wallet token',
    one: 'token',
    rotate: 'Rotate the wallet token',
    button: 'Make a new token',
    how: 'You get a new token. The old one works beside it for as long as you choose.',
  },
  callback: {
    title: 'Callback secret',
    one: 'secret',
    rotate: 'Rotate the callback secret',
    button: 'Make a new secret',
    how: 'For as long as you choose callbacks carry two signatures, so your receiver may check either.',
  },
}

/** For how long an old key may work on. A program may also end it at once. */
export const KEPT: readonly { keep: KeepOldFor; name: string }[] = [
  { keep: 'PT1H', name: '1 hour more' },
  { keep: 'P1D', name: '24 hours more' },
  { keep: 'P7D', name: '7 days more' },
]

const USUAL: KeepOldFor = 'P1D'

type SectionView = Pick<KeysPageView, 'keys' | 'now' | 'form'>

/** The keys of one owner: the current one first. */
export function keySection(view: SectionView): Markup | undefined {
  const { keys } = view
  const [current] = keys
  if (!current) return undefined
  const { kind, ownerId } = current
  const { title } = TEXTS[kind]
  return (
    <section class="sheet" aria-labelledby={`o-${ownerId}-${kind}`}>
      <h2 id={`o-${ownerId}-${kind}`}>{title}</h2>
      <dl class="facts">
        {kind === 'client' && (
          <div>
            <dt>Client ID</dt>
            <dd class="mono">{ownerId}</dd>
          </div>
        )}
        {keys.map((key) => keyRow(key, view))}
      </dl>
      {rotation(current, view)}
    </section>
  )
}

function keyRow(key: OwnKey, { keys, now, form }: SectionView): Markup {
  const { id, ending, createdAt, usedAt, endsAt, kind } = key
  const { one } = TEXTS[kind]
  const used = usedAt === 0 ? 'never used' : <>last used {listTime(usedAt, now)}</>
  const made = (
    <>
      made {listTime(createdAt, now)}, {used}
    </>
  )
  const tail = ending !== '' && (
    <>
      ends in <code>{ending}</code>{' '}
    </>
  )
  if (endsAt === 0) {
    const name = keys.length > 1 ? `New ${one}` : capital(one)
    return (
      <div>
        <dt>{name}</dt>
        <dd>
          {tail}
          <span class="soft">{made}</span>
        </dd>
      </div>
    )
  }
  return (
    <div>
      <dt>Old {one}</dt>
      <dd>
        {tail}
        <span class="soft">
          works until {dayAndTime(endsAt)}, {made}
        </span>{' '}
        <form method="post" action={`/keys/${id}/end`} class="inline">
          {ticketField(form)}
          <button class="link">
            End it now
            <span class="unseen">
              : the old {one}
              {ending !== '' && ` that ends in ${ending}`}
            </span>
          </button>
        </form>
      </dd>
    </div>
  )
}

function rotation({ id, kind }: OwnKey, { form }: SectionView): Markup {
  const { rotate, button, how } = TEXTS[kind]
  return (
    <details>
      <summary>{rotate}</summary>
      <form method="post" action={`/keys/${id}/rotate`}>
        {ticketField(form)}
        <p>{how}</p>
        <p class="together">
          <label class="unseen" for={`k-${id}-keep`}>
            The old one works for
          </label>
          <select class="box short" id={`k-${id}-keep`} name="keep">
            {KEPT.map(({ keep, name }) => (
              <option value={keep} selected={keep === USUAL}>
                {name}
              </option>
            ))}
          </select>
          <button>{button}</button>
        </p>
      </form>
    </details>
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
