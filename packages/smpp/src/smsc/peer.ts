import type { Socket } from 'node:net'
import { encodeBare, encodeBindResponse, encodeMessage, encodeMessageResponse } from '../codec/encode.ts'
import { type Bind, COMMAND, type Pdu, RESPONSE, type ShortMessage } from '../codec/pdu.ts'
import { Connection } from '../link/connection.ts'
import { STATUS } from '../status.ts'
import type { Outbox, Receiver } from './outbox.ts'

export interface PeerEvents {
  /** Returns the status to answer a bind with. */
  onBind(bind: Bind): number
  onSubmit(sequence: number, message: ShortMessage): void
  onQuery(pdu: Extract<Pdu, { kind: 'query_sm' }>): void
  outboxOf(systemId: string): Outbox
  onEnd(): void
}

/** How many receipts a client may have without acknowledging them. */
const WINDOW = 100
const NAME = { systemId: 'wigwag', version: 0x34 }

/** One connection of a client. */
export class Peer implements Receiver {
  readonly #events: PeerEvents
  readonly #connection: Connection
  readonly #unacknowledged = new Map<number, ShortMessage>()
  #bind: Bind | undefined
  #outbox: Outbox | undefined
  #sequence = 0

  constructor(socket: Socket, events: PeerEvents) {
    this.#events = events
    this.#connection = new Connection(socket, {
      onPdu: (pdu) => this.#hear(pdu),
      onRead: () => this.#outbox?.flush(),
      onEnd: () => {
        this.#outbox?.leave(this, [...this.#unacknowledged.values()])
        events.onEnd()
      },
    })
  }

  get systemId(): string {
    return this.#bind?.systemId ?? ''
  }

  get ready(): boolean {
    const { open, full } = this.#connection
    return open && !full && this.#unacknowledged.size < WINDOW
  }

  write(pdu: Buffer): void {
    this.#connection.write(pdu)
  }

  deliver(receipt: ShortMessage): void {
    this.#sequence++
    this.#unacknowledged.set(this.#sequence, receipt)
    this.write(encodeMessage(COMMAND.deliverSm, receipt, this.#sequence))
  }

  /** Drops the connection. */
  hangUp(): void {
    this.#connection.end('hung up')
  }

  /** Tells the client that it is unbound, and ends. */
  unbind(): void {
    if (this.#bind) this.write(encodeBare(COMMAND.unbind, ++this.#sequence))
    this.#connection.finish('closing')
  }

  #hear(pdu: Pdu): void {
    switch (pdu.kind) {
      case 'bind':
        this.#bound(pdu.sequence, pdu.bind)
        break
      case 'submit_sm':
        if (this.#bind && this.#bind.kind !== 'receiver') this.#events.onSubmit(pdu.sequence, pdu.message)
        else this.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, STATUS.invalidBindStatus))
        break
      case 'query_sm':
        if (this.#bind) this.#events.onQuery(pdu)
        else this.#refuse(pdu.sequence, STATUS.invalidBindStatus)
        break
      case 'deliver_sm_resp':
      case 'generic_nack':
        this.#acknowledged(pdu.sequence, pdu.status)
        break
      case 'enquire_link':
        this.write(encodeBare(COMMAND.enquireLink + RESPONSE, pdu.sequence))
        break
      case 'unbind':
        this.write(encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence))
        this.#connection.finish('unbound')
        break
      case 'deliver_sm':
      case 'data_sm':
        this.#refuse(pdu.sequence, STATUS.invalidCommand)
    }
  }

  #refuse(number: number, status: number): void {
    this.write(encodeBare(COMMAND.genericNack, number, status))
  }

  #bound(number: number, asked: Bind): void {
    const status = this.#bind ? STATUS.alreadyBound : this.#events.onBind(asked)
    this.write(encodeBindResponse(asked.kind, number, status, NAME))
    if (this.#bind) return
    if (status !== STATUS.ok) {
      this.#connection.finish('bind refused')
      return
    }
    this.#bind = asked
    if (asked.kind === 'transmitter') return
    this.#outbox = this.#events.outboxOf(asked.systemId)
    this.#outbox.join(this)
  }

  #acknowledged(number: number, status: number): void {
    const receipt = this.#unacknowledged.get(number)
    if (!receipt || !this.#outbox) return
    this.#unacknowledged.delete(number)
    if (status === STATUS.ok) this.#outbox.flush()
    else this.#outbox.postpone(receipt)
  }
}
