import type { Config } from '../../config.ts'
import {
  type CarrierLine,
  type CarrierMessages,
  carrierOverview,
  isSimulated,
  type LiveReport,
  PlanError,
  simulatedAmong,
  simulatedWarning,
} from '../../delivery/index.ts'
import type { ReadOnlyDatabase } from '../../platform/database/database.ts'
import { planHere } from '../carriers/carrier-plan.ts'
import { fail, ok, type Verdict, warn } from '../finding.ts'
import { counted, span } from '../terminal.ts'
import { nowIn } from './now.ts'

/** Connections break now and then, and come back by themselves. */
const AWAY_MS = 5 * 60_000
const PAUSED_MS = 60 * 60_000
const WAITING_MS = 5 * 60_000

/** Whether the carriers can be read and take messages, and whether all that they were given is accounted for. */
export async function checkCarriers(
  database: ReadOnlyDatabase,
  config: Config,
): Promise<Verdict | Verdict[]> {
  const now = await nowIn(database, config)
  const { reports, paused, messages } = await database.read((tx) => carrierOverview(tx, now))
  const findings = [
    ...(reports.length === 0 ? problemsHere(config) : reports.flatMap(problemsOf)),
    ...simulated(reports, config),
    ...reports.flatMap(({ name, carriers }) => carriers.flatMap((line) => trouble(name, line, now))),
    ...[...paused].flatMap(([carrier, at]) => longPause(carrier, now - at)),
    ...messages.flatMap((one) => [...waiting(one, now), ...unanswered(one), ...unmatched(one)]),
  ]
  if (findings.length > 0) return findings
  if (reports.length === 0) return ok('the setting can be read; no gateway runs')
  const names = new Set(reports.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier)))
  return ok(`${[...names].join(', ')} in ${counted(reports.length, 'gateway')}`)
}

/** The next gateway would read the setting as it is here; running ones report what they read. */
function problemsHere(config: Config): Verdict[] {
  try {
    planHere(config)
    return []
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
  return warning === undefined ? [] : [warn(warning)]
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
  return problems.map((problem) =>
    fail(`${name} carries on as before: ${problem}; mend it and run wigwag carriers reload`),
  )
}

function trouble(
  process: string,
  { carrier, place, kind, paused, since, reason }: CarrierLine,
  now: number,
): Verdict[] {
  if (paused || kind === 'up' || now - since < AWAY_MS) return []
  const state = kind === 'away' ? 'has had no connection to' : 'has been asked for fewer messages by'
  const why = reason === '' ? '' : ` (${reason})`
  const advice = kind === 'away' ? `: check ${place}, or ask the carrier` : ': ask the carrier'
  return [warn(`${process} ${state} ${carrier} for ${span(now - since)}${why}${advice}`)]
}

function longPause(carrier: string, pausedMs: number): Verdict[] {
  if (pausedMs < PAUSED_MS) return []
  return [
    warn(`${carrier} has been paused for ${span(pausedMs)}: wigwag carriers resume ${carrier} ends that`),
  ]
}

function waiting({ carrier, waiting, oldest }: CarrierMessages, now: number): Verdict[] {
  if (oldest === undefined || now - oldest < WAITING_MS) return []
  const who = carrier === '' ? 'without a carrier' : `for ${carrier}`
  const what = counted(waiting, `message waits ${who}`, `messages wait ${who}`)
  return [
    warn(`${what}, the oldest for ${span(now - oldest)}: wigwag carriers list says how the carriers are`),
  ]
}

function unanswered({ carrier, uncertain }: CarrierMessages): Verdict[] {
  if (uncertain === 0) return []
  const what = counted(uncertain, 'message was', 'messages were')
  const advice =
    'ask it about them, and end them with wigwag messages settle; wigwag messages uncertain lists them'
  return [warn(`${what} never answered by ${carrier || 'a carrier'}: ${advice}`)]
}

function unmatched({ carrier, unmatched }: CarrierMessages): Verdict[] {
  if (unmatched === 0) return []
  const what = counted(unmatched, 'receipt fits', 'receipts fit')
  const advice =
    'they may be of messages that are uncertain; else look at its "ids" setting, and whether another program uses the same account'
  return [warn(`${what} no message of ${carrier}: ${advice}`)]
}
