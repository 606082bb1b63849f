import { counted, span } from '@wigwag/contract'
import type { Config } from '../../config/config.ts'
import {
  type CarrierLine,
  type CarrierMessages,
  type CarrierOverview,
  carrierOverview,
  carrierReports,
  type FallenRate,
  fallenRates,
  isSimulated,
  type LiveReport,
  PlanError,
  RESTED_WITHIN_MS,
  simulatedAmong,
  simulatedWarning,
} from '../../delivery/index.ts'
import { type About, fail, ok, type Verdict, warn } from '../../kernel/finding.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Retention } from '../../kernel/time/spans.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
import { planHere } from './settings-here.ts'

/** How a check looks. */
export interface Look {
  /** The time that the rows go by. */
  now(): Promise<EpochMs>
  /** How many waiting messages of a carrier are counted; all when undefined. */
  most: number | undefined
}

/** A connection that breaks is up again sooner. */
const AWAY_MS = MINUTE_MS
/** Carriers ask for fewer messages now and then. */
const RESTING_MS = 5 * MINUTE_MS
/** A carrier that rests so often, or for such a part of the time, gets more than it takes. */
const MOST_RESTS = 20
const MOST_RESTED_MS = RESTED_WITHIN_MS / 4
const PAUSED_MS = HOUR_MS
const WAITING_MS = 5 * MINUTE_MS

/** Whether the carriers can be read and take messages, and whether all that they were given is accounted for. */
export async function checkCarriers(
  database: ReadOnlyDatabase,
  config: Config,
  look: Look,
): Promise<Verdict[]> {
  const now = await look.now()
  const { overview, fallen } = await database.read(async (tx) => ({
    overview: await carrierOverview(tx, now, look.most),
    fallen: await fallenRates(tx, now),
  }))
  const { reports, paused, messages } = overview
  return [
    ...(reports.length === 0 ? settingHere(config) : reports.flatMap(problemsOf)),
    ...simulated(reports, config),
    ...statesOf(reports, paused, now),
    ...fallen.map(fell),
    ...messages.flatMap((one) => [...waiting(one, now), ...unanswered(one), ...unmatched(one)]),
  ]
}

/** The next gateway would read the setting as it is here; running ones report what they read. */
function settingHere(config: Config): Verdict[] {
  try {
    planHere(config)
    return [ok('the setting can be read; no gateway runs')]
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return error.problems.map((problem) => fail(`no gateway can start: ${problem}`))
  }
}

/** In production: which carriers reach no phone, in the gateways that run, else in the setting as it is here. */
function simulated(reports: readonly LiveReport[], config: Config): Verdict[] {
  if (config.environment === 'sandbox') return []
  const running = reports.flatMap(({ carriers }) => carriers.filter(({ place }) => isSimulated(place)))
  const names = reports.length > 0 ? running.map(({ carrier }) => carrier) : simulatedHere(config)
  const warning = simulatedWarning([...new Set(names)])
  return warning === undefined ? [] : [{ ...warn(warning), topic: 'simulated' }]
}

function simulatedHere(config: Config): string[] {
  try {
    return simulatedAmong(planHere(config).carriers.values())
  } catch (error) {
    if (error instanceof PlanError) return []
    throw error
  }
}

function problemsOf({ name, problems }: LiveReport): Verdict[] {
  return problems.map((problem) => ({
    ...fail(`${name} carries on as before: ${problem}; correct it and run wigwag carriers reload`),
    topic: 'carriers file',
  }))
}

/** How each carrier is now: one verdict for the gateways in which it is up, and one for each other. */
function statesOf(reports: readonly LiveReport[], paused: CarrierOverview['paused'], now: number): Verdict[] {
  const lines = reports.flatMap(({ name, carriers }) => carriers.map((line) => ({ ...line, process: name })))
  const names = new Set([...lines.map(({ carrier }) => carrier), ...paused.keys()])
  return [...names].sort().flatMap((name) => {
    const pausedAt = paused.get(name)
    if (pausedAt !== undefined) return pauseOf(name, now - pausedAt)
    const all = lines.filter(({ carrier }) => carrier === name)
    const up = all.filter(({ kind }) => kind === 'up').length
    const others = all.filter(({ kind }) => kind !== 'up').map((line) => trouble(line, now))
    const resting = others.some(({ topic }) => topic === topicOf(name, 'resting'))
    return [
      ...(up > 0 ? [ok(`${name} up in ${counted(up, 'gateway')}`)] : []),
      ...others,
      ...(resting ? [] : throttled(name, all)),
    ]
  })
}

/** A carrier that asks for fewer messages again and again: between two rests it is up, so its state says little. */
function throttled(carrier: string, lines: readonly CarrierLine[]): Verdict[] {
  const times = lines.reduce((sum, { rested }) => sum + (rested?.times ?? 0), 0)
  const longestMs = Math.max(0, ...lines.map(({ rested }) => rested?.ms ?? 0))
  if (times < MOST_RESTS && longestMs < MOST_RESTED_MS) return []
  const about: About = { kind: 'carrier', carrier }
  const what = `${carrier} asked for fewer messages ${counted(times, 'time')} in the last ${span(RESTED_WITHIN_MS)}, and got none for ${span(longestMs)} of them`
  const advice = 'lower its "tps", or ask the carrier for more'
  return [{ ...wrongAbout(about, what, advice), topic: topicOf(carrier, 'throttled') }]
}

function topicOf(carrier: string, what: 'away' | 'resting' | 'throttled' | 'paused' | 'rate'): string {
  return `carrier:${carrier}:${what}`
}

function trouble(
  { process, carrier, place, kind, since, reason }: CarrierLine & { process: string },
  now: number,
): Verdict {
  const why = reason === '' ? '' : ` (${reason})`
  const where = `for ${span(now - since)} in ${process}${why}`
  const about: About = { kind: 'carrier', carrier }
  if (kind === 'away') {
    const { state } = now - since < AWAY_MS ? warn('') : fail('')
    const verdict = warnAbout(about, `${carrier} away ${where}`, `check ${place}, or ask the carrier`)
    return { ...verdict, state, topic: topicOf(carrier, 'away') }
  }
  const rests = `${carrier} asks for fewer messages ${where}`
  if (now - since < RESTING_MS) return ok(rests)
  return { ...wrongAbout(about, `${rests}: ask the carrier`), topic: topicOf(carrier, 'resting') }
}

function pauseOf(carrier: string, pausedMs: number): Verdict {
  const what = `${carrier} paused for ${span(pausedMs)}`
  const advice = `wigwag carriers resume ${carrier} ends that`
  return pausedMs < PAUSED_MS
    ? ok(`${what}: ${advice}`)
    : { ...warnAbout({ kind: 'carrier', carrier }, what, advice), topic: topicOf(carrier, 'paused') }
}

function fell({ carrier, now, before }: FallenRate): Verdict {
  const percent = (rate: number) => `${Math.round(100 * rate)} %`
  const what = `${carrier} delivers ${percent(now)} of what ended in this hour and the one before, and ${percent(before)} in the week before`
  const advice = 'ask it, or let its messages go another way'
  return { ...wrongAbout({ kind: 'carrier', carrier }, what, advice), topic: topicOf(carrier, 'rate') }
}

function waiting({ carrier, waiting, oldest }: CarrierMessages, now: number): Verdict[] {
  if (oldest === undefined || now - oldest < WAITING_MS) return []
  const who = carrier === '' ? 'without a carrier' : `for ${carrier}`
  const count = counted(waiting, `message waits ${who}`, `messages wait ${who}`)
  const what = `${count}, the oldest for ${span(now - oldest)}`
  const advice = 'wigwag carriers list says how the carriers are'
  return [{ ...wrongAbout({ kind: 'waiting' }, what, advice), topic: `waiting:${carrier}` }]
}

function unanswered({ carrier, uncertain }: CarrierMessages): Verdict[] {
  if (uncertain === 0) return []
  const count = counted(uncertain, 'message was', 'messages were')
  const what = `${count} never answered by ${carrier || 'a carrier'}`
  const advice =
    'ask it about them, and end them with wigwag messages settle; wigwag messages uncertain lists them'
  return [{ ...wrongAbout({ kind: 'uncertain', carrier }, what, advice), topic: `uncertain:${carrier}` }]
}

function unmatched({ carrier, unmatched }: CarrierMessages): Verdict[] {
  if (unmatched === 0) return []
  const what = `${counted(unmatched, 'receipt fits', 'receipts fit')} no message of ${carrier}`
  const advice =
    'they may be of messages that are uncertain; else look at its "ids" setting, and whether another program uses the same account'
  const verdict = wrongAbout({ kind: 'carrier', carrier }, `${what}: ${advice}`)
  return [{ ...verdict, topic: `receipts:${carrier}` }]
}

/** `advice` is what the desk has a page for. */
function warnAbout(about: About, what: string, advice?: string): Verdict {
  return { ...warn(advice === undefined ? what : `${what}: ${advice}`), about: { ...about, what } }
}

function wrongAbout(...said: Parameters<typeof warnAbout>): Verdict {
  return { ...warnAbout(...said), isWrong: true }
}

/** Threads beside the first one that ended by themselves. Shown only where one did. */
export async function checkThreads(
  database: ReadOnlyDatabase,
  _: Config,
  look: Look,
): Promise<Verdict[] | undefined> {
  const now = await look.now()
  const reports = await database.read((tx) => carrierReports(tx, now))
  const names = new Set(reports.flatMap(({ endedThreads = [] }) => endedThreads))
  if (names.size === 0) return undefined
  return [...names].sort().map((name) => {
    const where = reports.filter(({ endedThreads = [] }) => endedThreads.includes(name))
    const processes = where.map((report) => report.name).join(', ')
    return {
      ...warn(
        `the thread with ${THREADS[name] ?? name} ended within the last hour and was started again in ${processes}: see the gateway's log`,
      ),
      topic: `thread:${name}`,
    }
  })
}

/** Words for the threads beside the first one. */
const THREADS: Readonly<Record<string, string>> = {
  network: 'the sockets to receivers',
  carriers: 'the connections to carriers over SMPP',
}

/** Compares how long the running gateways and the settings here keep data. */
export async function checkRetention(
  database: ReadOnlyDatabase,
  config: Config,
  look: Look,
): Promise<Verdict | Verdict[]> {
  const now = await look.now()
  const { reports } = await database.read((tx) => carrierOverview(tx, now, look.most))
  const here = inWords(config.retain)
  const [first, ...others] = reports
  if (!first) return ok(`${here}; no gateway runs`)
  if (others.every(({ retain }) => inWords(retain) === inWords(first.retain))) {
    const running = inWords(first.retain)
    if (running === here) return ok(running)
    return warn(
      `${running} in ${counted(reports.length, 'running gateway')}, but the settings here say ${here}: a gateway takes them over when it starts`,
    )
  }
  return reports.map(({ name, retain }) =>
    warn(`${inWords(retain)} in ${name}: set it alike for all gateways`),
  )
}

function inWords({ messagesMs, callbacksMs, auditMs }: Retention): string {
  const messages = `messages ${kept(messagesMs)}`
  const callbacks = `callbacks ${callbacksMs === undefined ? 'as long as their message' : kept(callbacksMs)}`
  return `${messages}, ${callbacks}, audit log ${kept(auditMs)}`
}

function kept(ms: number | undefined): string {
  return ms === undefined ? 'for ever' : counted(ms / DAY_MS, 'day')
}
