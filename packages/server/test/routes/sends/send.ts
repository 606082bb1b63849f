import { BULK, MESSAGE } from '../../support/harness.ts'

/** One of the two operations that send. Promises that both make about errors are tested for each. */
export interface Send {
  operation: 'sendSms' | 'sendBulkSms'
  message: typeof MESSAGE | typeof BULK
  path: string
  /** The largest body that it takes. */
  mostBytes: number
}

const single: Send = {
  operation: 'sendSms',
  message: MESSAGE,
  path: '/v1/messages/sms',
  mostBytes: 65_536,
}

const bulk: Send = {
  operation: 'sendBulkSms',
  message: BULK,
  path: '/v1/messages/sms/bulk/otm',
  mostBytes: 2_097_152,
}

export const SENDS = [single, bulk]
