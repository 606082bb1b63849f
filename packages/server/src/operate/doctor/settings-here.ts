import { type Micros, micros } from '@wigwag/contract'
import type { Config } from '../../config/config.ts'
import { names } from '../../config/setting-values.ts'
import {
  type CarrierPlan,
  type Forecast,
  forecast,
  PlanError,
  partCost,
  readPlan,
} from '../../delivery/index.ts'
import { nearestOf } from '../../kernel/text/nearest.ts'

/** Reads the setting as a gateway that starts here now would. */
export function planHere({ carrier: { given, variables, ...around } }: Config): CarrierPlan {
  return readPlan(given, { ...around, environment: variables() })
}

/** A message's route and cost by the present routes, which may have changed since it was sent. */
export interface RoutedHere {
  /** Undefined when no route takes it, or when the setting can't be read. */
  route: Forecast['route']
  /** The amount owed to its carrier; undefined when the routes don't say it, or no carrier took it. */
  cost: Micros | undefined
}

export function routedHere(
  config: Config,
  message: { recipient: string; sender: string; accountId: string; segments: number },
  { carrier, submittedAt }: { carrier: string | undefined; submittedAt: number },
): RoutedHere {
  try {
    const plan = planHere(config)
    const { route } = forecast(plan, message, [])
    const each = carrier === undefined || submittedAt === 0 ? undefined : partCost(plan, message, carrier)
    return { route, cost: each === undefined ? undefined : micros(each * message.segments) }
  } catch (error) {
    if (error instanceof PlanError) return { route: undefined, cost: undefined }
    throw error
  }
}

const PREFIX = 'WIGWAG_'

/** Read by the SDK, by commands, and by the connector: one environment may serve them all. */
const OF_CLIENTS = [
  'WIGWAG_BASE_URL',
  'WIGWAG_CLIENT_ID',
  'WIGWAG_CLIENT_SECRET',
  'WIGWAG_WALLET_TOKEN',
  'WIGWAG_CALLBACK_SECRET',
  'WIGWAG_ACCESS_TOKEN',
  'WIGWAG_CONNECTOR_TOKEN',
  'WIGWAG_FROM',
  'WIGWAG_MOVE_FROM',
  'WIGWAG_CONNECTOR_ID',
  'WIGWAG_CONNECTOR_SECRET',
  'WIGWAG_MCP_STATE',
  'WIGWAG_MCP_READ_ONLY',
]

const KNOWN: readonly string[] = [...Object.values(names), ...OF_CLIENTS]

/** Names may differ more from what was meant than mistyped words do: `RETENTION_DAYS` from `RETAIN_DAYS`. */
const MOST_EDITS = 4

/** A sentence for each variable of the environment or the `.env` file that looks like a setting and is none. */
export function unknownSettings(config: Config): string[] {
  const given = Object.keys(config.carrier.variables()).filter((name) => name.startsWith(PREFIX))
  const unknown = given.filter((name) => !KNOWN.includes(name))
  if (unknown.length === 0) return []
  const secrets = namedByCarriers(config)
  return unknown.filter((name) => !secrets.has(name)).map(sentenceOf)
}

function sentenceOf(name: string): string {
  const settings = KNOWN.filter((known) => known.startsWith(PREFIX)).map((known) =>
    known.slice(PREFIX.length),
  )
  const nearest = nearestOf(name.slice(PREFIX.length), settings, MOST_EDITS)
  const hint = nearest === undefined ? 'docs/settings.md lists them all' : `did you mean ${PREFIX}${nearest}?`
  return `${name} is no setting, and nothing reads it: ${hint}`
}

/** The variables in which the carriers' file says that passwords are. It is read to the end even if it has problems. */
function namedByCarriers({ carrier: { given, folder, variables } }: Config): ReadonlySet<string> {
  const named = new Set<string>()
  const environment = new Proxy(variables(), {
    get(target, name) {
      named.add(String(name))
      return Reflect.get(target, name)
    },
  })
  try {
    readPlan(given, { folder, environment })
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
  }
  return named
}
