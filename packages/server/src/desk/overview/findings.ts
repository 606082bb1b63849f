import { counted } from '../../domain/counted.ts'
import type { Finding } from '../../domain/finding.ts'
import type { Overview } from './read.ts'

/** A sentence about something that is not as it should be, with where to look. */
export interface Trouble {
  state: 'warn' | 'fail'
  text: string
  /** On this page or another one of the desk. */
  link: { href: string; text: string } | undefined
}

/** Where the desk shows more about a check of doctor's. */
const LINKS: Readonly<Record<string, Trouble['link']>> = {
  carriers: { href: '#carriers', text: 'the carriers' },
  'sign-in': { href: '/audit?action=portal', text: 'who tried to sign in' },
}
/** What doctor calls its checks, where that is no word of a sentence. */
const SUBJECTS: Readonly<Record<string, string>> = {
  migrations: 'Schema',
  address: 'Public address',
  'sign-in': 'Sign-in',
  proxies: 'Proxies',
}

/** Everything that is not well, the worst first. */
export function troublesOf({ findings, setAside, dead, low }: Overview): Trouble[] {
  const troubles = [...findings.flatMap(troubleOf), ...countsOf({ setAside, dead, low })]
  return [
    ...troubles.filter(({ state }) => state === 'fail'),
    ...troubles.filter(({ state }) => state === 'warn'),
  ]
}

function troubleOf({ check, state, detail }: Finding): Trouble[] {
  if (state !== 'warn' && state !== 'fail') return []
  const subject = SUBJECTS[check] ?? check.charAt(0).toUpperCase() + check.slice(1)
  return [{ state, text: sentence(`${subject}: ${detail}`), link: LINKS[check] }]
}

function countsOf({ setAside, dead, low }: Pick<Overview, 'setAside' | 'dead' | 'low'>): Trouble[] {
  const troubles: Trouble[] = []
  if (setAside > 0) {
    const what = counted(setAside, 'job keeps failing and is', 'jobs keep failing and are')
    troubles.push({
      state: 'fail',
      text: `${what} retried once an hour: see the gateway’s log.`,
      link: { href: '/messages/set-aside', text: 'what was set aside' },
    })
  }
  if (low > 0) {
    const what = counted(low, 'wallet has', 'wallets have')
    troubles.push({
      state: 'warn',
      text: `${what} less than its warning says: wigwag account list shows them.`,
      link: { href: '/customers', text: 'the customers' },
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
