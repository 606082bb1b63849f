import { encodeMessageResponse } from '../codec/encode.ts'
import { COMMAND, type ShortMessage } from '../codec/pdu.ts'
import { STATUS } from '../status.ts'

/** Beyond this many the peer is asked to bring them again, so that they do not fill the memory. */
const MOST_OPEN = 1_000

/** Acknowledges what the peer brings, once it is kept. */
export class Inbox {
  readonly #receive: (message: ShortMessage) => Promise<void>
  readonly #onDone: () => void
  #open = 0

  constructor(receive: (message: ShortMessage) => Promise<void>, onDone: () => void) {
    this.#receive = receive
    this.#onDone = onDone
  }

  /** How many are not acknowledged yet. */
  get open(): number {
    return this.#open
  }

  take(
    kind: 'deliver_sm' | 'data_sm',
    sequence: number,
    message: ShortMessage,
    reply: (pdu: Buffer) => void,
  ): void {
    const command = kind === 'deliver_sm' ? COMMAND.deliverSm : COMMAND.dataSm
    const answer = (status: number) => reply(encodeMessageResponse(command, sequence, status))
    if (this.#open >= MOST_OPEN) {
      answer(STATUS.temporary)
      return
    }
    this.#open++
    const done = (status: number) => {
      this.#open--
      answer(status)
      this.#onDone()
    }
    this.#receive(message).then(
      () => done(STATUS.ok),
      () => done(STATUS.temporary),
    )
  }
}
