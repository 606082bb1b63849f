import type { Config } from '../../config.ts'
import { type CarrierPlan, createCarrier, type Forecast, type SubmitOutcome } from '../../delivery/index.ts'
import { createNetwork } from '../../network.ts'
import type { OperatorParts } from '../../operator-parts.ts'
import { Failed } from '../terminal.ts'
import { noSuchCarrier } from './known-carrier.ts'

export interface TryFlags {
  from?: string
  send?: string
  carrier?: string
}

export interface Tried {
  carrier: string
  outcome: SubmitOutcome
}

/** Submits the text of `--send`; undefined without one. */
export async function tryOne(
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
  const network = createNetwork({
    allowLoopback: config.environment === 'sandbox',
    allowedCidrs: config.callbackAllowedCidrs,
  })
  const { simulator, publicUrl = `http://${config.host}:${config.port}` } = config
  const parts = { clock, simulator, outbound: network.carriers, publicUrl: () => publicUrl, submitOnly: true }
  try {
    const message = { sender: from, recipient: number, content: send }
    const outcome = await carriers.trial(createCarrier(settings, parts), message)
    return { carrier: name, outcome }
  } catch (error) {
    throw new Failed(`${name}: ${error instanceof Error ? error.message : error}`)
  } finally {
    network.close()
  }
}
