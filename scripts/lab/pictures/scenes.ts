/** A page to take a picture of. */
export interface Scene {
  name: string
  /** Its address. `{name}` stands for a ticket. */
  path: string
  /** Texts to type into fields, by their labels. */
  fill?: Readonly<Record<string, string>>
  /** Names of the buttons to press before the picture is taken. */
  press?: readonly string[]
  signedOut?: true
  /** A page of the desk. */
  desk?: true
}

/** The pages of a sandbox that has just started. */
const BEFORE: readonly Scene[] = [
  { name: 'welcome', path: '/', signedOut: true },
  { name: 'sign-in', path: '/sign-in', signedOut: true },
  { name: 'start', path: '/messages' },
]

const LIST = ['233241234567,ama', '233278706428,kwame', '233202454286,esi', '2348032774352,chidi'].join('\n')

/** The pages of one that is in use. */
const AFTER: readonly Scene[] = [
  { name: 'inbox', path: '/messages' },
  { name: 'nothing', path: '/messages?q=status:failed%20from:WIGWAG%20since:1m' },
  { name: 'wrong-filter', path: '/messages?q=form:WIGWAG' },
  { name: 'message', path: '/messages/{long}' },
  { name: 'pending', path: '/messages/{pending}' },
  { name: 'failed', path: '/messages/{failed}' },
  { name: 'send', path: '/send?again={unicode}' },
  {
    name: 'price',
    path: '/send/many',
    fill: { Recipients: LIST, Text: 'We are open on Friday from 9 to 5.' },
    press: ['Check the list'],
  },
  {
    name: 'wrong-lines',
    path: '/send/many',
    fill: { Recipients: `${LIST}\n+233 24 555 0199\n23324`, Text: 'We are open on Friday from 9 to 5.' },
    press: ['Check the list'],
  },
  { name: 'many', path: '/send/many' },
  { name: 'scheduled', path: '/scheduled' },
  { name: 'insights', path: '/insights?range=30d' },
  { name: 'wallet', path: '/wallet' },
  { name: 'sender-ids', path: '/sender-ids' },
  { name: 'rates', path: '/rates?country=GH' },
  { name: 'developers', path: '/developers' },
  { name: 'callbacks', path: '/callbacks' },
  { name: 'keys', path: '/keys' },
  { name: 'assistants', path: '/connections' },
  { name: 'sandbox', path: '/sandbox' },
  { name: 'drawer', path: '/messages', press: ['Controls'] },
  ...[
    { name: 'desk-overview', path: '/' },
    { name: 'desk-customers', path: '/customers' },
    { name: 'desk-customer', path: '/customers/demo@wigwag.dev' },
    { name: 'desk-console', path: '/customers/demo@wigwag.dev/console/messages' },
    { name: 'desk-money', path: '/customers/demo@wigwag.dev/money' },
    { name: 'desk-senders', path: '/senders' },
    { name: 'desk-messages', path: '/messages?q=233241200005' },
    { name: 'desk-message', path: '/messages/{failed}' },
    { name: 'desk-uncertain', path: '/messages/uncertain' },
    { name: 'desk-carriers', path: '/carriers' },
    { name: 'desk-carrier', path: '/carriers/simulator' },
    { name: 'desk-way', path: '/carriers/plan/way?number=233241234567' },
    { name: 'desk-prices', path: '/prices' },
    { name: 'desk-audit', path: '/audit' },
    { name: 'desk-operators', path: '/operators' },
  ].map((scene) => ({ ...scene, desk: true as const })),
]

/** The pages of a desk on a bad night. */
const NIGHT: readonly Scene[] = [
  { name: 'desk-night', path: '/' },
  { name: 'desk-night-carrier', path: '/carriers/north' },
  { name: 'desk-night-pause', path: '/carriers/north/switch' },
  { name: 'desk-night-wallet', path: '/customers/ops@makola.example' },
  { name: 'desk-night-uncertain', path: '/messages/uncertain?carrier=north' },
].map((scene) => ({ ...scene, desk: true as const }))

const ALL = { before: BEFORE, after: AFTER, night: NIGHT }

export function scenesOf(when: keyof typeof ALL): readonly Scene[] {
  return ALL[when]
}
