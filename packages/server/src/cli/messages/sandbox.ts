import { Command, Option } from 'commander'
import * as z from 'zod'
import { elapsed } from '../../kernel/time/spans.ts'
import { GATEWAY_FAULTS, RECEIVER_FAULTS } from '../../sandbox/index.ts'
import { Failed, lines, type OutputFlags, output, withJson } from '../terminal.ts'
import { baseUrlOf, clientSettings, credentialsOf, type GatewayFlags, withGateway } from './gateway-client.ts'
import { nowCommand, waitCommand } from './inbox.ts'

interface FaultFlags {
  slow?: string
  lost?: string
  receivers?: string
  gateway?: string
  off?: true
}
type Flags = GatewayFlags & OutputFlags

const controlsAnswer = z.object({ Now: z.string(), AheadMs: z.number(), Faults: z.array(z.string()) })

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description(
      'The clock and the faults of a running sandbox, as in the controls of its console, and the messages that it sends.',
    )
    .addCommand(clockCommand())
    .addCommand(faultsCommand())
    .addCommand(waitCommand())
    .addCommand(nowCommand())
}

function clockCommand(): Command {
  return withJson(withGateway(new Command('clock')))
    .description(
      'Move the clock forward, so that schedules, retries and expiry come at once; it never goes back.',
    )
    .addHelpText(
      'after',
      '\nWhat is due by then is done once: a callback that fails again is tried at its next time, counted from there.',
    )
    .argument('[by]', 'how far, such as 90s, 30m, 2h or 3d; without it, only the time is shown')
    .action((by: string | undefined, flags: Flags) => control(flags, by === undefined ? {} : { Forward: by }))
}

function faultsCommand(): Command {
  return withJson(withGateway(new Command('faults')))
    .description('Make things go wrong on purpose: those that are named, and no others.')
    .option('--slow <time>', 'the carrier takes longer, such as 2s or 500ms')
    .option('--lost <part>', 'receipts get lost, such as 20%')
    .addOption(new Option('--receivers <answer>', 'what callback receivers answer').choices(RECEIVER_FAULTS))
    .addOption(new Option('--gateway <answer>', 'what this gateway answers').choices(GATEWAY_FAULTS))
    .option('--off', 'switch all faults off')
    .addHelpText(
      'after',
      '\nWithout options, those that are on are shown. A restart ends them. A message whose\nreceipt is lost stays pending until the gateway asks the simulator for its status.',
    )
    .action(setFaults)
}

function setFaults({ slow, lost, receivers, gateway, off, ...flags }: Flags & FaultFlags): Promise<void> {
  const named = Object.values([slow, lost, receivers, gateway]).some((fault) => fault !== undefined)
  if (off && named) throw new Failed('--off switches all faults off: name no other one beside it', 2)
  const Faults = { Slow: slow, Lost: lost, Receivers: receivers, Gateway: gateway }
  return control(flags, named || off ? { Faults } : {})
}

async function control(flags: Flags, change: object): Promise<void> {
  const controls = await ask(flags, change)
  const { Now, AheadMs, Faults } = controls
  const shown = lines([
    ['time', Now],
    ['ahead', AheadMs === 0 ? 'not at all' : elapsed(AheadMs)],
    ['faults', Faults.join(', ') || 'none'],
  ])
  output(flags, controls, shown)
}

/** Asks the controls of the gateway, which only a sandbox has, with the credentials of one of its accounts. */
async function ask(flags: GatewayFlags, change: object): Promise<z.infer<typeof controlsAnswer>> {
  const settings = clientSettings(flags)
  const baseUrl = baseUrlOf(settings)
  const { clientId, clientSecret } = credentialsOf(settings)
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/sandbox/controls`, {
    headers: { authorization, 'content-type': 'application/json' },
    redirect: 'manual',
    method: 'POST',
    body: JSON.stringify(change),
  }).catch((cause: unknown) => {
    throw new Failed(`no gateway answers at ${baseUrl} (${cause instanceof Error ? cause.message : cause})`)
  })
  const body: unknown = await response.json().catch(() => undefined)
  const controls = controlsAnswer.safeParse(body)
  if (response.ok && controls.success) return controls.data
  if (response.status === 404)
    throw new Failed(`${baseUrl} is no sandbox: only WIGWAG_ENV=sandbox has a clock that moves, and faults`)
  throw new Failed(`${baseUrl} answered ${response.status}${reasons(body)}`, response.status === 422 ? 2 : 1)
}

const problem = z.object({ detail: z.string(), errors: z.array(z.object({ detail: z.string() })).optional() })

/** Why the gateway refused: every wrong field, or what it says of the request. */
function reasons(body: unknown): string {
  const { success, data } = problem.safeParse(body)
  return success ? `: ${data.errors?.map(({ detail }) => detail).join(' ') ?? data.detail}` : ''
}
