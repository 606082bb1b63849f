import { toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import type { Config } from '../../config/config.ts'
import {
  type CarrierPlan,
  type ConsideredRoute,
  describeRoute,
  type Forecast,
  forecast,
  type LiveReport,
  openCarrier,
  outcomeInWords,
  placeOf,
  type Route,
  type SubmitOutcome,
  shareInWords,
} from '../../delivery/index.ts'
import type { OperatorParts } from '../../gateway/operator-parts.ts'
import { amountOf } from '../../kernel/money/shown.ts'
import { Network } from '../../net/outbound/outbound.ts'
import { planHere } from '../../operate/doctor/index.ts'
import { recipient, senderId } from '../arguments.ts'
import { type StoreFlags, withAudit, withParts } from '../operator/store.ts'
import { counted, Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { noSuchCarrier } from './carrier-list.ts'

interface TestFlags extends StoreFlags, OutputFlags, TryFlags {
  account?: string
}

export function carrierTestCommand(): Command {
  return withJson(withAudit(new Command('test')))
    .description('Say which route takes messages to a number, and which carriers are tried.')
    .argument('<number>', 'the recipient, such as 233241234567', recipient)
    .option('--from <sender>', 'the sender ID of the messages; --send needs it', senderId)
    .option('--account <id>', 'the account that sends them: its ID or e-mail')
    .option(
      '--send <text>',
      'submit this text to the first of the carriers, outside of any account; needs --from',
    )
    .option('--carrier <name>', 'with --send: submit it to this carrier')
    .addHelpText(
      'after',
      '\nSends nothing without --send. Reads WIGWAG_CARRIER, so run it with the settings of the gateway.',
    )
    .action(test)
}

async function test(number: string, flags: TestFlags): Promise<void> {
  const { from: sender = '', account } = flags
  const { found, reports, plan, tried } = await withParts(flags, async (parts, config) => {
    const { database, carriers } = parts
    const plan = planHere(config)
    const accountId =
      account === undefined ? '' : (await database.read((tx) => requireAccount(tx, account))).id
    const reports = await carriers.reports()
    const found = forecast(plan, { recipient: number, sender, accountId }, reports)
    return { plan, reports, found, tried: await tryOne(parts, config, { plan, found, number, flags }) }
  })
  const { network, route, considered } = found
  const carriers = found.ways.map(({ name, priority, weight, share, cost, state }) => ({
    carrier: name,
    priority,
    weight,
    share,
    cost: cost === undefined ? null : toDecimal(cost),
    state,
  }))
  const cells = found.ways.map(({ cost, ...way }) => [
    way.name,
    way.priority,
    way.weight,
    shareInWords(way),
    cost === undefined ? '' : amountOf(cost),
    way.state,
  ])
  const facts = lines([
    ['number', number],
    ['network', network ?? 'not known'],
    ['route', route ? describeRoute(route) : 'none'],
  ])
  const text = [
    facts,
    ...(route ? [table(['CARRIER', 'PRIORITY', 'WEIGHT', 'SHARE', 'COST', 'STATE'], cells)] : []),
    ...(considered.length > 0 ? [routesTable(considered)] : []),
  ]
  const result = {
    number,
    network,
    route: route ? conditionsOf(route) : null,
    carriers,
    routes: considered.map(({ route, result, reason }) => ({ ...conditionsOf(route), result, reason })),
    ...(tried && { tried }),
  }
  output(flags, result, text.join('\n\n'))
  const more = considered.length - MOST_ROUTES
  if (more > 0) say(`${counted(more, 'route', 'routes')} more; --json shows all.`)
  if (reports.length === 0) say('No gateway runs, so the states of the carriers are not known.')
  else if (!isPlanOf(reports, plan))
    say(
      'The running gateways have other carriers than the setting here: run this command with their settings, or let them read it with wigwag carriers reload.',
    )
  if (tried && tried.outcome.kind !== 'accepted')
    throw new Failed(outcomeInWords(tried.carrier, tried.outcome))
  if (tried) return say(outcomeInWords(tried.carrier, tried.outcome))
  if (!route) throw new Failed('no route takes this number: messages to it are rejected')
}

/** More would push the answer off the screen. */
const MOST_ROUTES = 20

function routesTable(considered: readonly ConsideredRoute[]): string {
  const rows = considered.slice(0, MOST_ROUTES)
  return table(
    ['ROUTE', 'RESULT', 'WHY'],
    rows.map(({ route, result, reason }) => [describeRoute(route), result, reason]),
  )
}

function conditionsOf({ prefix, networks, senders, accounts }: Route) {
  return { prefix, networks, senders, accounts }
}

/** Whether each process runs the carriers of this plan, at the same places. */
function isPlanOf(reports: readonly LiveReport[], { carriers }: CarrierPlan): boolean {
  const here = [...carriers].map(([name, settings]) => `${name} ${placeOf(settings)}`).sort()
  return reports.every((report) => {
    const there = report.carriers.map(({ carrier, place }) => `${carrier} ${place}`).sort()
    return there.join('\n') === here.join('\n')
  })
}

interface TryFlags {
  from?: string
  send?: string
  carrier?: string
}

export interface Tried {
  carrier: string
  outcome: SubmitOutcome
}

/** Submits the text of `--send`; undefined without one. */
async function tryOne(
  { carriers, clock }: OperatorParts,
  config: Config,
  { plan, found, number, flags }: { plan: CarrierPlan; found: Forecast; number: string; flags: TryFlags },
): Promise<Tried | undefined> {
  const { from, send } = flags
  if (send === undefined) return undefined
  if (from === undefined) throw new Failed('--send needs --from: the sender ID of the message', 2)
  const name = flags.carrier ?? found.ways[0]?.name
  const settings = name === undefined ? undefined : plan.carriers.get(name)
  if (name === undefined || !settings) {
    throw noSuchCarrier(name ?? '', [...plan.carriers.keys()].sort())
  }
  const network = new Network({
    allowLoopback: config.environment === 'sandbox',
    allowedCidrs: config.callbackAllowedCidrs,
  })
  const { simulator, publicUrl = `http://${config.host}:${config.port}` } = config
  const parts = { clock, simulator, outbound: network.carriers, publicUrl: () => publicUrl, submitOnly: true }
  try {
    const message = { sender: from, recipient: number, content: send }
    const outcome = await carriers.trial(openCarrier(settings, parts), message)
    return { carrier: name, outcome }
  } catch (error) {
    throw new Failed(`${name}: ${error instanceof Error ? error.message : error}`)
  } finally {
    network.close()
  }
}
