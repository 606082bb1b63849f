import type { Config } from '../config.ts'
import { type CarrierPlan, readPlan } from '../delivery/index.ts'

/** Reads the setting as a gateway that starts here now would. */
export function planHere({ carrier: { given, folder, variables } }: Config): CarrierPlan {
  return readPlan(given, { folder, environment: variables() })
}
