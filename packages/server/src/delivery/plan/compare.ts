import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { CarrierPlan, CarrierSettings } from './plan.ts'

/** Where a carrier is, without a password. */
export function placeOf(settings: CarrierSettings): string {
  switch (settings.kind) {
    case 'simulator':
      return 'simulator'
    case 'smpp':
      return `smpp${settings.tls ? 's' : ''}://${settings.systemId}@${settings.host}:${settings.port}`
    case 'http':
      return settings.url
  }
}

/** Whether a carrier can carry on as it is. */
export function sameSettings(running: CarrierSettings, next: CarrierSettings | undefined): boolean {
  return (
    next !== undefined &&
    isDeepStrictEqual(running, next) &&
    secretsOf(running).every((each, i) => each === secretsOf(next)[i])
  )
}

/** They are hidden from printing, and so from the comparison. */
function secretsOf(settings: CarrierSettings): readonly (string | undefined)[] {
  if (settings.kind === 'smpp') return [settings.password]
  return settings.kind === 'http' ? [settings.secret, settings.receiptsSecret] : []
}

/** The same for processes that send the same messages to the same carriers, whatever else their files say. */
export function routingOf({ carriers, routes }: CarrierPlan): string {
  return hash('sha256', JSON.stringify([[...carriers.keys()].sort(), routes.routes]), 'base64url')
}
