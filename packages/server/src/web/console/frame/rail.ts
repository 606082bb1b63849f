import type { Micros } from '@wigwag/contract'
import type { Right } from '../../../accounts/people/index.ts'
import { countGivenUp } from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { available } from '../../../kernel/money/ledger.ts'
import { countScheduled } from '../../../messages/sending/index.ts'
import { knownWallet, warningOf } from '../../../money/index.ts'
import { countAlerts } from '../../../operate/alerts/index.ts'
import type { Person } from '../../../sign-in/portal/index.ts'
import type { Database } from '../../../store/database.ts'
import type { IconName } from '../../icons.tsx'

/** A page in the rail. */
export interface Place {
  path: string
  /** Who sees it. */
  right: Right
  name: string
  icon: IconName
}

/** The rail's entries, in its three groups. */
export const GROUPS = [
  {
    title: undefined,
    places: {
      inbox: { path: '/messages', right: 'read', name: 'Inbox', icon: 'inbox' },
      send: { path: '/send', right: 'send', name: 'Send', icon: 'send' },
      scheduled: { path: '/scheduled', right: 'read', name: 'Scheduled', icon: 'calendar' },
      insights: { path: '/insights', right: 'read', name: 'Insights', icon: 'chart' },
    },
  },
  {
    title: 'Account',
    places: {
      wallet: { path: '/wallet', right: 'read', name: 'Wallet', icon: 'wallet' },
      alerts: { path: '/alerts', right: 'read', name: 'Alerts', icon: 'bell' },
      senders: { path: '/sender-ids', right: 'read', name: 'Sender IDs', icon: 'sender' },
      people: { path: '/people', right: 'people', name: 'People', icon: 'people' },
      log: { path: '/log', right: 'read', name: 'Who did what', icon: 'clock' },
      rates: { path: '/rates', right: 'read', name: 'Rates', icon: 'tag' },
    },
  },
  {
    title: 'Build',
    places: {
      developers: { path: '/developers', right: 'build', name: 'Developers', icon: 'code' },
      callbacks: { path: '/callbacks', right: 'texts', name: 'Callbacks', icon: 'callback' },
      keys: { path: '/keys', right: 'build', name: 'API keys', icon: 'key' },
      assistants: { path: '/connections', right: 'assistants', name: 'Assistants', icon: 'assistant' },
    },
  },
] as const satisfies readonly { title: string | undefined; places: Record<string, Place> }[]

type PlacesOf<Group> = Group extends { places: infer Places } ? keyof Places : never
/** Which entry of the rail a page belongs to; the sandbox's and one's own page have none. */
export type PlaceId = PlacesOf<(typeof GROUPS)[number]> | 'sandbox' | 'you'

/** The figures in the rail. Counts stop at 100, so that a page costs the same with a million. */
export interface Rail {
  currency: string
  available: Micros
  /** Whether the wallet has less than its warning says. */
  isLow: boolean
  scheduled: number
  givenUp: number
  alerts: number
}

const COUNTED = 100

export function readRail(
  database: Database,
  { accountId, wallet: { id, currency } }: Person,
  now: EpochMs,
): Promise<Rail> {
  return database.read(async (tx) => {
    const wallet = await knownWallet(tx, id)
    const left = available(wallet)
    return {
      currency,
      available: left,
      isLow: left < ((await warningOf(tx, id)) ?? Number.NEGATIVE_INFINITY),
      scheduled: await countScheduled(tx, id, COUNTED),
      givenUp: await countGivenUp(tx, id, COUNTED),
      alerts: await countAlerts(tx, accountId, now, COUNTED),
    }
  })
}
