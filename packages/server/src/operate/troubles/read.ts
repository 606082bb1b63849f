import { counted } from '@wigwag/contract'
import { accountsWith } from '../../accounts/index.ts'
import { countDead } from '../../callbacks/index.ts'
import type { Config } from '../../config/config.ts'
import { countSetAside } from '../../flow/jobs/outbox.ts'
import type { About, Finding } from '../../kernel/finding.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { money } from '../../kernel/money/shown.ts'
import { joinedWords, sentenceOf, type Words } from '../../kernel/text/words.ts'
import { countLow, type LowWallet, lowWallets } from '../../money/index.ts'
import type { ReadOnlyDatabase, Tx } from '../../store/database.ts'
import { inspect } from '../doctor/index.ts'

/** Something that is not as it should be. */
export interface Trouble {
  /** Stays the same for as long as it is the same trouble: `carrier:north:away`, `uncertain:north`, `wallet:…`, `disk`. */
  key: string
  state: 'warn' | 'fail'
  /** One sentence, or several. */
  words: Words
  /** Where something can be done about it. */
  about: About | undefined
  /** The check that found it; undefined for what is only counted. */
  check: string | undefined
}

export interface Troubles {
  /** The worst first. */
  troubles: Trouble[]
  /** Beginnings of keys: troubles with such a key may be there as well. */
  unknown: readonly string[]
}

/** Every key. */
const ANY = ''
const MOST_SENTENCES = 3
/** Counting stops here, so that a look costs the same with a million. */
const MOST_COUNTED = 10_000

/**
 * Everything that is wrong now, by doctor's quick checks and by what is counted. Of the wallets that are low those with the
 * least left are named, or as many as are told of one by one.
 */
export async function readTroubles(
  database: ReadOnlyDatabase,
  config: Config,
  { now, wallets }: { now(): EpochMs; wallets: { first: 'least' | 'longest'; limit: number } },
): Promise<Troubles> {
  const findings = await inspect(database, config, { quick: true, now })
  // Its tables are not there, or not these.
  const hasSchema = !findings.some(({ check, state }) => check === 'migrations' && state === 'fail')
  const counts = hasSchema ? await database.read((tx) => countedTroubles(tx, wallets)) : []
  const all = merged([...findings.flatMap(troubleOf), ...counts])
  return {
    troubles: [
      ...all.filter(({ state }) => state === 'fail'),
      ...all.filter(({ state }) => state === 'warn'),
    ],
    unknown: [
      ...(findings.some(({ isUnread }) => isUnread) || !hasSchema ? [ANY] : []),
      ...all.flatMap(({ key }) => HIDING[key] ?? []),
    ],
  }
}

/** Troubles that stand for others, which are then not named. */
const HIDING: Readonly<Record<string, string>> = { wallets: 'wallet:', receivers: 'receiver:' }

/** Subjects of sentences, for checks whose names don't read as one. */
const SUBJECTS: Readonly<Record<string, string>> = {
  migrations: 'Schema',
  address: 'Public address',
  'sign-in': 'Sign-in',
  proxies: 'Proxies',
  receivers: 'Callbacks',
  senders: 'Sender IDs',
}

function troubleOf({ check, state, detail, topic, about }: Finding): Trouble[] {
  if (state !== 'warn' && state !== 'fail') return []
  const subject = SUBJECTS[check] ?? check.charAt(0).toUpperCase() + check.slice(1)
  const words = sentenceOf([`${subject}: `, ...[about?.what ?? detail].flat()])
  return [{ key: topic ?? check, state, words, about, check }]
}

/** One trouble for each key: what two gateways say of a carrier are two sentences. */
function merged(all: readonly Trouble[]): Trouble[] {
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const more = same.length - MOST_SENTENCES
    const words = [
      ...same.slice(0, MOST_SENTENCES).map((one) => one.words),
      ...(more > 0 ? [`There ${more === 1 ? 'is 1 more' : `are ${more} more`} like these.`] : []),
    ]
    const state = same.some((one) => one.state === 'fail') ? 'fail' : 'warn'
    return [{ ...first, state, words: joinedWords(words) }]
  })
}

async function countedTroubles(
  tx: Tx,
  wallets: { first: 'least' | 'longest'; limit: number },
): Promise<Trouble[]> {
  const setAside = (await countSetAside(tx)).reduce((sum, { count }) => sum + count, 0)
  const dead = await countDead(tx, MOST_COUNTED)
  const low = await countLow(tx)
  const named = await lowWallets(tx, wallets)
  const more = low - named.length
  return [
    ...(setAside > 0 ? [setAsideTrouble(setAside)] : []),
    ...(await walletTroubles(tx, named)),
    ...(more > 0 ? [moreWallets(more)] : []),
    ...(dead > 0 ? [givenUpTrouble(dead)] : []),
  ]
}

function setAsideTrouble(count: number): Trouble {
  const what = counted(count, 'job keeps failing and is', 'jobs keep failing and are')
  return {
    key: 'set aside',
    state: 'fail',
    words: `${what} retried once an hour: see the gateway’s log.`,
    about: { kind: 'set aside' },
    check: undefined,
  }
}

async function walletTroubles(tx: Tx, low: readonly LowWallet[]): Promise<Trouble[]> {
  const ids = low.map(({ accountId }) => accountId)
  const accounts = await accountsWith(tx, ids)
  return low.map(({ walletId, accountId, available, threshold, currency }) => ({
    key: `wallet:${walletId}`,
    state: 'warn',
    words: [
      'The wallet of ',
      { name: accounts.get(accountId)?.name ?? accountId },
      ` has ${money(available, currency)}, less than ${money(threshold, currency)}.`,
    ],
    about: { kind: 'customer', accountId },
    check: undefined,
  }))
}

function moreWallets(count: number): Trouble {
  return {
    key: 'wallets',
    state: 'warn',
    words: `${counted(count, 'more wallet has', 'more wallets have')} less than the warning says.`,
    about: { kind: 'low wallets' },
    check: undefined,
  }
}

function givenUpTrouble(count: number): Trouble {
  const many = count >= MOST_COUNTED ? 'At least ' : ''
  return {
    key: 'given up',
    state: 'warn',
    words: `${many}${counted(count, 'callback was', 'callbacks were')} given up.`,
    about: { kind: 'given up' },
    check: undefined,
  }
}
