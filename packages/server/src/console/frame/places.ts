import type { IconName } from '../../pages/icons.ts'

/** A page in the rail. */
export interface Place {
  path: string
  name: string
  icon: IconName
}

/** The rail's entries, in its three groups. */
export const GROUPS = [
  {
    title: undefined,
    places: {
      inbox: { path: '/messages', name: 'Inbox', icon: 'inbox' },
      send: { path: '/send', name: 'Send', icon: 'send' },
      scheduled: { path: '/scheduled', name: 'Scheduled', icon: 'calendar' },
      insights: { path: '/insights', name: 'Insights', icon: 'chart' },
    },
  },
  {
    title: 'Account',
    places: {
      wallet: { path: '/wallet', name: 'Wallet', icon: 'wallet' },
      senders: { path: '/sender-ids', name: 'Sender IDs', icon: 'sender' },
      rates: { path: '/rates', name: 'Rates', icon: 'tag' },
    },
  },
  {
    title: 'Build',
    places: {
      developers: { path: '/developers', name: 'Developers', icon: 'code' },
      callbacks: { path: '/callbacks', name: 'Callbacks', icon: 'callback' },
      keys: { path: '/keys', name: 'API keys', icon: 'key' },
      assistants: { path: '/connections', name: 'Assistants', icon: 'assistant' },
    },
  },
] as const satisfies readonly { title: string | undefined; places: Record<string, Place> }[]

type PlacesOf<Group> = Group extends { places: infer Places } ? keyof Places : never
/** Which entry of the rail a page belongs to; the sandbox's page has none. */
export type PlaceId = PlacesOf<(typeof GROUPS)[number]> | 'sandbox'
