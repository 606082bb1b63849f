import type { EpochMs } from '../../../kernel/ids.ts'
import type { Words } from '../../../kernel/text/words.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Trouble } from '../../../operate/troubles/index.ts'
import { icon } from '../../icons.tsx'
import { listTime } from '../../times.tsx'
import { pathOf as carrierPath } from '../carriers/carrier.tsx'
import { pathOf as customerPath } from '../customers/words.tsx'
import type { Overview } from './read.ts'

/** The worst in large, and the rest below it. */
export function troublesSection({ troubles, since, now }: Overview): Markup {
  const [worst, ...others] = worstFirst(troubles)
  const when = ({ key }: Trouble) => sinceOf(since.get(key), now)
  return (
    <>
      {worst ? headline(worst, when(worst)) : allIsWell}
      {others.length > 0 && (
        <section class="sheet" aria-label="Also">
          <ul class="findings">{others.map((trouble) => troubleItem(trouble, when(trouble)))}</ul>
        </section>
      )}
    </>
  )
}

/** Subjects of troubles, the worst first; a trouble without one comes last. */
const RANKS: readonly NonNullable<Trouble['about']>['kind'][] = [
  'carrier',
  'uncertain',
  'set aside',
  'waiting',
  'low wallets',
  'customer',
  'given up',
  'prices',
  'senders',
]

/** Failures before warnings, and of either first what concerns messages and money. */
export function worstFirst(troubles: readonly Trouble[]): Trouble[] {
  const rank = ({ state, about }: Trouble) => {
    const place = about === undefined ? -1 : RANKS.indexOf(about.kind)
    return (state === 'fail' ? 0 : RANKS.length + 1) + (place < 0 ? RANKS.length : place)
  }
  return troubles.toSorted((a, b) => rank(a) - rank(b))
}

const allIsWell = (
  <section class="sheet">
    <p class="well state good">{icon('disc')}All is well.</p>
  </section>
)

function headline(trouble: Trouble, since: Markup | undefined): Markup {
  const tone = trouble.state === 'fail' ? 'bad' : 'wait'
  const link = linkOf(trouble)
  return (
    <section class="sheet">
      <p class={`well ${tone}`}>{shown(trouble.words)}</p>
      {(link || since) && (
        <p>
          {link && <a href={link.href}>See {link.text}</a>} {since}
        </p>
      )}
    </section>
  )
}

function troubleItem(trouble: Trouble, since: Markup | undefined): Markup {
  const [tone, drawing, word] =
    trouble.state === 'fail'
      ? (['bad', 'octagon', 'Failed'] as const)
      : (['wait', 'triangle', 'Warning'] as const)
  const link = linkOf(trouble)
  return (
    <li>
      <span class={`state ${tone}`}>
        {icon(drawing)}
        <span class="unseen">{word}: </span>
      </span>
      <span>
        {shown(trouble.words)} {link && <a href={link.href}>See {link.text}</a>} {since}
      </span>
    </li>
  )
}

/** Since when the gateways see it. */
function sinceOf(at: EpochMs | undefined, now: EpochMs): Markup | undefined {
  return at === undefined ? undefined : <span class="soft small">Since {listTime(at, now)}</span>
}

function shown(words: Words): Markup {
  const parts = typeof words === 'string' ? [words] : words
  return <>{parts.map((part) => (typeof part === 'string' ? part : <bdi>{part.name}</bdi>))}</>
}

/** A page of the desk. */
interface Link {
  href: string
  text: string
}

/** Where the desk shows more about a check of doctor's. */
const OF_CHECKS: Readonly<Record<string, Link>> = {
  carriers: { href: '/carriers', text: 'the carriers' },
  'sign-in': { href: '/audit?action=portal', text: 'who tried to sign in' },
}

function linkOf({ about, check }: Trouble): Link | undefined {
  switch (about?.kind) {
    case 'carrier':
      return { href: carrierPath(about.carrier), text: `${about.carrier} and its routes` }
    case 'uncertain':
      return {
        href: `/messages/uncertain?${new URLSearchParams({ carrier: about.carrier })}`,
        text: 'them and decide',
      }
    case 'customer':
      return { href: customerPath({ id: about.accountId }), text: 'the customer' }
    case 'waiting':
      return { href: '/messages/waiting', text: 'what waits' }
    case 'set aside':
      return { href: '/messages/set-aside', text: 'what was set aside' }
    case 'given up':
      return { href: '/messages/callbacks', text: 'what was given up' }
    case 'low wallets':
      return { href: '/customers?low=yes', text: 'all that run low' }
    case 'senders':
      return { href: '/senders', text: 'them and decide' }
    case 'prices':
      return { href: '/prices', text: 'the prices' }
    case undefined:
      return check === undefined ? undefined : OF_CHECKS[check]
  }
}
