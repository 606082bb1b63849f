import { walletOf } from '../../gateway/principal.ts'
import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { instant, transaction } from '../wire.ts'

export function getMessage(queries: Queries): Handler<'getMessage'> {
  return async ({ principal, path }) => {
    const { message, timeline } = await queries.messageInFull(walletOf(principal), path.id)
    const { segments, encoding, country, network, failureReason, sendAt } = message
    return {
      body: {
        ...transaction(message),
        Segments: segments,
        Encoding: encoding,
        Country: country,
        ...(network === null ? {} : { Network: network }),
        ...(failureReason === null ? {} : { FailureReason: failureReason }),
        ...(sendAt === 0 ? {} : { SendAt: instant(sendAt) }),
        Timeline: timeline.map(({ at, event, detail }) => ({
          At: instant(at),
          Event: event,
          ...(detail === undefined ? {} : { Detail: detail }),
        })),
      },
    }
  }
}
