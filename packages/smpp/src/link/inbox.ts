import { encodeMessageResponse } from '../codec/encode.ts'
import { COMMAND, type ShortMessage } from '../codec/pdu.ts'
import { STATUS } from '../status.ts'

/** Acknowledges what the peer brings, once it is kept. */
export interface Inbox {
  /** How many are not acknowledged yet. */
  readonly open: number
  take(
    kind: 'deliver_sm' | 'data_sm',
    sequence: number,
    message: ShortMessage,
    reply: (pdu: Buffer) => void,
  ): void
}

/** Beyond this many the peer is asked to bring them again, so that they do not fill the memory. */
const MOST_OPEN = 1_000

export function createInbox(receive: (message: ShortMessage) => Promise<void>, onDone: () => void): Inbox {
  let open = 0
  return {
    get open() {
      return open
    },
    take(kind, sequence, message, reply) {
      const command = kind === 'deliver_sm' ? COMMAND.deliverSm : COMMAND.dataSm
      const answer = (status: number) => reply(encodeMessageResponse(command, sequence, status))
      if (open >= MOST_OPEN) {
        answer(STATUS.temporary)
        return
      }
      open++
      const done = (status: number) => {
        open--
        answer(status)
        onDone()
      }
      receive(message).then(
        () => done(STATUS.ok),
        () => done(STATUS.temporary),
      )
    },
  }
}
