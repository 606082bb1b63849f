import { counted } from '@wigwag/contract'
import type { Finding } from '../../../kernel/finding.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { icon } from '../../icons.tsx'
import { money } from '../../widgets/money.tsx'
import { pathOf as carrierPath } from '../carriers/carrier.tsx'
import { pathOf as customerPath } from '../customers/words.tsx'
import type { Overview } from './read.ts'

/** The worst in large, and the rest below it. */
export function troublesSection(overview: Overview): Markup {
  const [worst, ...others] = troublesOf(overview)
  return (
    <>
      {worst ? headline(worst) : allIsWell}
      {others.length > 0 && (
        <section class="sheet" aria-label="Also">
          <ul class="findings">{others.map(troubleItem)}</ul>
        </section>
      )}
    </>
  )
}

const allIsWell = (
  <section class="sheet">
    <p class="well state good">{icon('disc')}All is well.</p>
  </section>
)

function headline({ state, text, link }: Trouble): Markup {
  const tone = state === 'fail' ? 'bad' : 'wait'
  return (
    <section class="sheet">
      <p class={`well ${tone}`}>{text}</p>
      {link && (
        <p>
          <a href={link.href}>See {link.text}</a>
        </p>
      )}
    </section>
  )
}

function troubleItem({ state, text, link }: Trouble): Markup {
  const [tone, drawing, word] =
    state === 'fail' ? (['bad', 'octagon', 'Failed'] as const) : (['wait', 'triangle', 'Warning'] as const)
  return (
    <li>
      <span class={`state ${tone}`}>
        {icon(drawing)}
        <span class="unseen">{word}: </span>
      </span>
      <span>
        {text}
        {link && (
          <>
            {' '}
            <a href={link.href}>See {link.text}</a>
          </>
        )}
      </span>
    </li>
  )
}

/** A sentence about something that is not as it should be, with where to do something about it. */
interface Trouble {
  state: 'warn' | 'fail'
  text: string | Markup
  /** On this page or another one of the desk. */
  link: { href: string; text: string } | undefined
}

/** Where the desk shows more about a check of doctor's. */
const LINKS: Readonly<Record<string, Trouble['link']>> = {
  carriers: { href: '/carriers', text: 'the carriers' },
  'sign-in': { href: '/audit?action=portal', text: 'who tried to sign in' },
}
/** Subjects of sentences, for checks whose names don't read as one. */
const SUBJECTS: Readonly<Record<string, string>> = {
  migrations: 'Schema',
  address: 'Public address',
  'sign-in': 'Sign-in',
  proxies: 'Proxies',
}

/** Words for the threads beside the first one. */
const THREADS: Readonly<Record<string, string>> = {
  network: 'the sockets to receivers',
  carriers: 'the connections to carriers over SMPP',
}

type Counted = Pick<Overview, 'setAside' | 'dead' | 'low' | 'lowest' | 'endedThreads'>

/** Everything that is not well, the worst first. */
function troublesOf({ findings, ...counts }: Counted & Pick<Overview, 'findings'>): Trouble[] {
  const troubles = [...findings.flatMap(troubleOf), ...countsOf(counts)]
  return [
    ...troubles.filter(({ state }) => state === 'fail'),
    ...troubles.filter(({ state }) => state === 'warn'),
  ]
}

function troubleOf(finding: Finding): Trouble[] {
  const { check, state, detail, about } = finding
  if (state !== 'warn' && state !== 'fail') return []
  const subject = SUBJECTS[check] ?? check.charAt(0).toUpperCase() + check.slice(1)
  return [{ state, text: sentence(`${subject}: ${about?.what ?? detail}`), link: linkOf(finding) }]
}

function linkOf({ check, about }: Finding): Trouble['link'] {
  switch (about?.kind) {
    case 'carrier':
      return { href: carrierPath(about.carrier), text: `${about.carrier} and its routes` }
    case 'uncertain':
      return {
        href: `/messages/uncertain?${new URLSearchParams({ carrier: about.carrier })}`,
        text: 'them and decide',
      }
    case 'waiting':
      return { href: '/messages/waiting', text: 'what waits' }
    default:
      return LINKS[check]
  }
}

function countsOf({ setAside, dead, low, lowest, endedThreads }: Counted): Trouble[] {
  const troubles: Trouble[] = []
  if (setAside > 0) {
    const what = counted(setAside, 'job keeps failing and is', 'jobs keep failing and are')
    troubles.push({
      state: 'fail',
      text: `${what} retried once an hour: see the gateway’s log.`,
      link: { href: '/messages/set-aside', text: 'what was set aside' },
    })
  }
  for (const name of endedThreads) {
    troubles.push({
      state: 'warn',
      text: `The thread with ${THREADS[name] ?? name} ended within the last hour and was started again: see the gateway’s log.`,
      link: undefined,
    })
  }
  for (const { accountId, name, available, threshold, currency } of lowest) {
    const has = `has ${money(available, currency)}, less than ${money(threshold, currency)}`
    troubles.push({
      state: 'warn',
      text: (
        <>
          The wallet of <bdi>{name}</bdi> {has}.
        </>
      ),
      link: { href: customerPath({ id: accountId }), text: 'the customer' },
    })
  }
  if (low > lowest.length) {
    const what = counted(low - lowest.length, 'more wallet has', 'more wallets have')
    troubles.push({
      state: 'warn',
      text: `${what} less than the warning says.`,
      link: { href: '/customers?low=yes', text: 'all that run low' },
    })
  }
  if (dead > 0) {
    const what = counted(dead, 'callback was', 'callbacks were')
    troubles.push({
      state: 'warn',
      text: `${what} given up.`,
      link: { href: '/messages/callbacks', text: 'what was given up' },
    })
  }
  return troubles
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
