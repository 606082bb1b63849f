/**
 * SMPP 3.4, and of 5.0 the version and the congestion state: the protocol on both sides, and nothing of the gateway.
 * Start with `link/link.ts`, a bind that is kept up; `smsc/` is a carrier for tests.
 */

export { type Address, ESM, type ShortMessage, TAG } from './codec/pdu.ts'
export type { Link } from './link/link.ts'
export { openLink } from './link/open-link.ts'
export { createPace } from './link/pace.ts'
export { idOfAnswer, idOfReceipt } from './message-id.ts'
export { type DeliveryReceipt, type MessageState, readInbound } from './receipt.ts'
export { type Smsc, type SmscOptions, type Submitted, startSmsc } from './smsc/smsc.ts'
export type { Answer } from './status.ts'
export { type Alphabet, canWrite, encodeText } from './text.ts'
