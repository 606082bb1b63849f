import type { Status } from './generated/models.ts'

/**
 * The statuses that a message does not leave.
 * @example
 * import type { FinalStatus } from '@wigwag/sdk'
 * const wasDelivered = (status: FinalStatus) => status === 'success'
 */
export type FinalStatus = Exclude<Status, 'pending' | 'scheduled'>

/**
 * Whether a status is final. A status that a newer gateway adds counts as final.
 * @example
 * import { createClient, isFinal } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * for await (const message of sms.searchMessages()) if (!isFinal(message.Status)) console.log(message.To)
 */
export function isFinal(status: Status | (string & {})): status is FinalStatus {
  return status !== 'pending' && status !== 'scheduled'
}
