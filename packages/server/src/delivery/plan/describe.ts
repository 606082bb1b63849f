import type { Route } from './routes.ts'

/** The conditions of a route, for people. */
export function describeRoute({ prefix, networks, senders, accounts }: Route): string {
  const conditions = [
    ...(accounts.length > 0 ? [`account ${accounts.join(' or ')}`] : []),
    ...(senders.length > 0 ? [`sender ${senders.join(' or ')}`] : []),
    ...(networks.length > 0 ? [`network ${networks.join(' or ')}`] : []),
    ...(prefix === '' ? [] : [`prefix ${prefix}`]),
  ]
  return conditions.join(', ') || 'the one for everything'
}
