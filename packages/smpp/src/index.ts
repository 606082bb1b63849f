/**
 * SMPP 3.4, and of 5.0 the version and the congestion state. Start with `client.ts`; below it is `link/`, a bind that is
 * kept up. `codec/` reads and writes PDUs, and `smsc/` is a carrier for tests.
 */

export { type Clock, systemClock } from '@wigwag/contract'
export {
  type ClientOptions,
  type ClientReceipt,
  type IncomingText,
  type Sent,
  SmppClient,
  type Text,
} from './client.ts'
export type { Address, Bind, BindKind, ShortMessage } from './codec/pdu.ts'
export { Link } from './link/link.ts'
export type { LinkEvents, LinkOptions, LinkState, QueryAnswer } from './link/link-options.ts'
export { Pace } from './link/pace.ts'
export { type DeliveryReceipt, type Inbound, type MessageState, readInbound } from './receipt.ts'
export {
  alphabetOf,
  type LongForm,
  type Outgoing,
  type SenderKind,
  senderKindOf,
  shortMessagesOf,
} from './short-messages.ts'
export { type Answer, nameOf, STATUS, type StatusKind } from './status.ts'
export { type Alphabet, canWrite, decodeText, encodeText } from './text.ts'
