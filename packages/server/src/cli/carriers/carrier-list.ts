import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import {
  type CarrierLine,
  type CarrierMessages,
  type CarrierOverview,
  knownCarriers,
  PlanError,
  placeOf,
} from '../../delivery/index.ts'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import { nearestOf } from '../../kernel/text/nearest.ts'
import { planHere } from '../../operate/doctor/index.ts'
import { type StoreFlags, withParts } from '../operator/store.ts'
import { withDatabase } from '../settings.ts'
import { Failed, type OutputFlags, output, say, span, table, withJson } from '../terminal.ts'

export function carrierListCommand(): Command {
  return withJson(withDatabase(new Command('list')))
    .description('Show how each carrier is in each running gateway, and what waits for it.')
    .action(listCarriers)
}

async function listCarriers(flags: StoreFlags & OutputFlags): Promise<void> {
  const { overview, now, setting } = await withParts(flags, async ({ carriers, clock }, config) => {
    const overview = await carriers.overview()
    const setting = overview.reports.length === 0 ? settingOf(config) : undefined
    return { overview, now: clock.now(), setting }
  })
  const { reports, paused } = overview
  const processes = reports.map(({ name, since, problems, warnings, carriers }) => ({
    process: name,
    planSince: time(since),
    problems,
    warnings,
    carriers: carriers.map((line) => shownLine(line, paused)),
  }))
  const messages = overview.messages.map((one) => shownMessages(one, now))
  const states = processes.flatMap(({ process, carriers }) =>
    carriers.map((line) => [
      line.carrier,
      process,
      line.state,
      `${line.since.slice(0, 19)}Z`,
      line.inWindow,
      line.capacity,
      line.rests,
      line.unreadable,
      line.place,
      line.reason,
    ]),
  )
  const waiting = messages.map(({ carrier, waiting, oldestSeconds, uncertain, early }) => [
    carrier || '(none yet)',
    waiting,
    oldestSeconds === null ? '' : span(oldestSeconds * 1_000),
    uncertain,
    early,
  ])
  const tables = setting
    ? [
        table(
          ['CARRIER', 'PLACE'],
          setting.carriers.map(({ carrier, place }) => [carrier, place]),
        ),
      ]
    : [table(STATES, states)]
  if (waiting.length > 0) tables.push(table(MESSAGES, waiting))
  const pauses = [...paused].map(([carrier, at]) => ({ carrier, since: time(at) }))
  output(flags, { processes, ...(setting && { setting }), paused: pauses, messages }, tables.join('\n\n'))

  for (const { process, problems, warnings } of processes) {
    for (const problem of problems) say(`${process} could not read its carriers again: ${problem}`)
    for (const warning of warnings) say(`${process}: ${warning}`)
  }
  if (!setting) return
  say('No gateway runs. These are the carriers of the setting WIGWAG_CARRIER here.')
  for (const { carrier, since } of pauses) say(`${carrier} has been paused since ${since}.`)
  for (const line of [...setting.problems, ...setting.warnings]) say(line)
}

const STATES = [
  'CARRIER',
  'PROCESS',
  'STATE',
  'SINCE',
  'WINDOW',
  'CAPACITY',
  'RESTS',
  'UNREADABLE',
  'PLACE',
  'REASON',
]
const MESSAGES = ['CARRIER', 'WAITING', 'OLDEST', 'UNCERTAIN', 'EARLY RECEIPTS']

/** The carriers of the setting, or its problems. */
function settingOf(config: Config) {
  try {
    const { carriers, warnings } = planHere(config)
    const found = [...carriers].map(([carrier, settings]) => ({ carrier, place: placeOf(settings) }))
    return { carriers: found, problems: [], warnings }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { carriers: [], problems: error.problems, warnings: [] }
  }
}

/** A pause outlives the process that reports it, so that its own time counts. */
function shownLine(line: CarrierLine, pauses: CarrierOverview['paused']) {
  const { carrier, place, paused, kind, reason, since, inWindow, capacity, rests, unreadable, inbound } = line
  const state = paused ? 'paused' : kind
  const changed = (paused ? pauses.get(carrier) : undefined) ?? since
  return {
    carrier,
    place,
    state,
    reason,
    since: time(changed),
    inWindow,
    capacity,
    rests,
    unreadable,
    inbound,
  }
}

function shownMessages({ oldest, ...counts }: CarrierMessages, now: number) {
  const oldestSeconds = oldest === undefined ? null : Math.max(0, Math.floor((now - oldest) / 1_000))
  return { ...counts, oldestSeconds }
}

function time(at: number): string {
  return new Date(at).toISOString()
}

/** Refuses a carrier that no plan, running gateway, pause or message names. Lets none pass. */
export async function requireCarrier(
  { carriers }: Pick<OperatorParts, 'carriers'>,
  config: Config,
  carrier: string | undefined,
): Promise<void> {
  if (carrier === undefined) return
  const overview = await carriers.overview()
  const withMessages = overview.messages.map((one) => one.carrier).filter((name) => name !== '')
  // First those: a carriers' file with mistakes must not keep an operator from settling.
  if (withMessages.includes(carrier)) return
  const known = new Set([...withMessages, ...knownCarriers(overview, () => planHere(config))])
  if (!known.has(carrier)) throw noSuchCarrier(carrier, [...known].sort())
}

export function noSuchCarrier(carrier: string, known: readonly string[]): Failed {
  const nearest = nearestOf(carrier, known)
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  const names = known.length === 0 ? 'none is known' : `known are ${known.join(', ')}`
  return new Failed(`there is no carrier ${JSON.stringify(carrier)}${hint}; ${names}`)
}
