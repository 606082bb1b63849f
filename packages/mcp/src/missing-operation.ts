import { GatewayError, type OperationId } from '@wigwag/sdk'

/** The operations that a gateway may lack, because the specification does not ask for them. */
export const extensions: Partial<Record<OperationId, string>> = {
  searchMessages: 'GET /v1/messages',
  getMessage: 'GET /v1/messages/{id}',
  estimateCost: 'POST /v1/messages/sms/estimate',
  scheduleSms: 'POST /v1/messages/sms/scheduled',
  cancelScheduledSms: 'DELETE /v1/messages/sms/scheduled/{ticket}',
  listSenderIds: 'GET /v1/account/sender-ids',
  getRates: 'GET /v1/rates/{country}',
  deliveryInsights: 'GET /v1/insights/delivery',
}

/**
 * The operation that the gateway turned out not to have, with its method and path; undefined for any other error.
 * A 404 of another make than ours is taken for a missing operation: it does not say what was not found.
 */
export function missingOperation(error: unknown): string | undefined {
  if (!(error instanceof GatewayError)) return undefined
  const { operation, status, code } = error
  const place = extensions[operation]
  const isMissing =
    code === 'route_not_found' || status === 405 || status === 501 || (status === 404 && !isOurs(code))
  return place && isMissing ? `${operation} (${place})` : undefined
}

function isOurs(code: string | undefined): boolean {
  return code === 'transaction_not_found'
}
