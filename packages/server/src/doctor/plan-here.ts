import { type Micros, micros } from '@wigwag/contract'
import type { Config } from '../config.ts'
import {
  type CarrierPlan,
  type Forecast,
  forecast,
  PlanError,
  partCost,
  readPlan,
} from '../delivery/index.ts'

/** Reads the setting as a gateway that starts here now would. */
export function planHere({ carrier: { given, folder, variables } }: Config): CarrierPlan {
  return readPlan(given, { folder, environment: variables() })
}

/** What the routes say of a message here and now, which may not be what they said when it was sent. */
export interface RoutedHere {
  /** Undefined when no route takes it, or when the setting can't be read. */
  route: Forecast['route']
  /** What its carrier is owed; undefined when they don't say it, or when no carrier took it. */
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
