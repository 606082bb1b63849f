import { BULK, MESSAGE } from '../../harness.ts'

/** One of the two operations that send. What both promise of an error is written once, here beside. */
export interface Send {
  operation: 'sendSms' | 'sendBulkSms'
  message: typeof MESSAGE | typeof BULK
  path: string
  /** The largest body that it takes. */
  mostBytes: number
}

export const single: Send = {
  operation: 'sendSms',
  message: MESSAGE,
  path: '/v1/messages/sms',
  mostBytes: 65_536,
}

export const bulk: Send = {
  operation: 'sendBulkSms',
  message: BULK,
  path: '/v1/messages/sms/bulk/otm',
  mostBytes: 2_097_152,
}
