import { formatAmount, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import { type CarrierPlan, type Forecast, forecast, type LiveReport, placeOf } from '../../delivery/index.ts'
import { planHere } from '../../doctor/index.ts'
import { recipient, senderId } from '../arguments.ts'
import { type StoreFlags, withAudit, withParts } from '../operator/store.ts'
import { Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { inWords, type TryFlags, tryOne } from './carrier-try.ts'

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
  const { network, route } = found
  const carriers = found.ways.map(({ name, priority, weight, share, cost, state }) => ({
    carrier: name,
    ...{ priority, weight, share, cost: cost === undefined ? null : toDecimal(cost), state },
  }))
  const conditions = route && {
    ...{ prefix: route.prefix, networks: route.networks, senders: route.senders, accounts: route.accounts },
  }
  const cells = found.ways.map(({ name, priority, weight, share, cost, state }) => [
    ...[name, priority, weight, `${share} %`],
    ...[cost === undefined ? '' : formatAmount(cost), state],
  ])
  const facts = lines([
    ['number', number],
    ['network', network ?? 'not known'],
    ['route', route ? describe(route) : 'none'],
  ])
  const text = route
    ? `${facts}\n\n${table(['CARRIER', 'PRIORITY', 'WEIGHT', 'SHARE', 'COST', 'STATE'], cells)}`
    : facts
  output(flags, { number, network, route: conditions ?? null, carriers, ...(tried && { tried }) }, text)
  if (reports.length === 0) say('No gateway runs, so the states of the carriers are not known.')
  else if (!isPlanOf(reports, plan))
    say(
      'The running gateways have other carriers than the setting here: run this command with their settings, or let them read it with wigwag carriers reload.',
    )
  if (tried && tried.outcome.kind !== 'accepted') throw new Failed(inWords(tried))
  if (tried) return say(inWords(tried))
  if (!route) throw new Failed('no route takes this number: messages to it are rejected')
}

function describe({ prefix, networks, senders, accounts }: NonNullable<Forecast['route']>): string {
  const conditions = [
    ...(accounts.length > 0 ? [`account ${accounts.join(' or ')}`] : []),
    ...(senders.length > 0 ? [`sender ${senders.join(' or ')}`] : []),
    ...(networks.length > 0 ? [`network ${networks.join(' or ')}`] : []),
    ...(prefix === '' ? [] : [`prefix ${prefix}`]),
  ]
  return conditions.join(', ') || 'the one for everything'
}

/** Whether each process runs the carriers of this plan, at the same places. */
function isPlanOf(reports: readonly LiveReport[], { carriers }: CarrierPlan): boolean {
  const here = [...carriers].map(([name, settings]) => `${name} ${placeOf(settings)}`).sort()
  return reports.every((report) => {
    const there = report.carriers.map(({ carrier, place }) => `${carrier} ${place}`).sort()
    return there.join('\n') === here.join('\n')
  })
}
