/**
 * Excludes a time from a message, for calls that send at once.
 * @example
 * import type { AtOnce, SmsMessage } from '@wigwag/sdk'
 * const message: SmsMessage & AtOnce = { From: 'ACME', To: '233201234567', Content: 'Hello' }
 */
export interface AtOnce {
  /** A time belongs to `scheduleSms`. */
  SendAt?: never
}
