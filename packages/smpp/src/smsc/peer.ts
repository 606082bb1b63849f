import type { Socket } from 'node:net'
import { encodeBare, encodeBindResponse, encodeMessage, encodeMessageResponse } from '../codec/encode.ts'
import { type Bind, COMMAND, type Pdu, RESPONSE, type ShortMessage } from '../codec/pdu.ts'
import { createConnection } from '../link/connection.ts'
import { STATUS } from '../status.ts'
import type { Outbox, Receiver } from './outbox.ts'

export interface PeerEvents {
  /** Returns the status to answer a bind with. */
  onBind(bind: Bind): number
  onSubmit(peer: Peer, sequence: number, message: ShortMessage): void
  onQuery(peer: Peer, pdu: Extract<Pdu, { kind: 'query_sm' }>): void
  outboxOf(systemId: string): Outbox
  onEnd(peer: Peer): void
}

/** One connection of a client. */
export interface Peer {
  readonly systemId: string
  write(pdu: Buffer): void
  /** Drops the connection. */
  hangUp(): void
  /** Tells the client that it is unbound, and ends. */
  unbind(): void
}

/** How many receipts a client may have without acknowledging them. */
const WINDOW = 100
const NAME = { systemId: 'wigwag', version: 0x34 }

export function servePeer(socket: Socket, events: PeerEvents): Peer {
  let bind: Bind | undefined
  let outbox: Outbox | undefined
  let sequence = 0
  const unacknowledged = new Map<number, ShortMessage>()

  const connection = createConnection(socket, {
    onPdu: hear,
    onRead: () => outbox?.flush(),
    onEnd() {
      outbox?.leave(receiver, [...unacknowledged.values()])
      events.onEnd(peer)
    },
  })

  const receiver: Receiver = {
    get ready() {
      return connection.open && !connection.full && unacknowledged.size < WINDOW
    },
    deliver(receipt) {
      sequence++
      unacknowledged.set(sequence, receipt)
      connection.write(encodeMessage(COMMAND.deliverSm, receipt, sequence))
    },
  }

  const peer: Peer = {
    get systemId() {
      return bind?.systemId ?? ''
    },
    write: connection.write,
    hangUp: () => connection.end('hung up'),
    unbind() {
      if (bind) connection.write(encodeBare(COMMAND.unbind, ++sequence))
      connection.finish('closing')
    },
  }

  function hear(pdu: Pdu): void {
    switch (pdu.kind) {
      case 'bind':
        bound(pdu.sequence, pdu.bind)
        break
      case 'submit_sm':
        if (bind && bind.kind !== 'receiver') events.onSubmit(peer, pdu.sequence, pdu.message)
        else peer.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, STATUS.invalidBindStatus))
        break
      case 'query_sm':
        if (bind) events.onQuery(peer, pdu)
        else refuse(pdu.sequence, STATUS.invalidBindStatus)
        break
      case 'deliver_sm_resp':
      case 'generic_nack':
        acknowledged(pdu.sequence, pdu.status)
        break
      case 'enquire_link':
        peer.write(encodeBare(COMMAND.enquireLink + RESPONSE, pdu.sequence))
        break
      case 'unbind':
        peer.write(encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence))
        connection.finish('unbound')
        break
      case 'deliver_sm':
      case 'data_sm':
        refuse(pdu.sequence, STATUS.invalidCommand)
    }
  }

  function refuse(number: number, status: number): void {
    peer.write(encodeBare(COMMAND.genericNack, number, status))
  }

  function bound(number: number, asked: Bind): void {
    const status = bind ? STATUS.alreadyBound : events.onBind(asked)
    peer.write(encodeBindResponse(asked.kind, number, status, NAME))
    if (bind) return
    if (status !== STATUS.ok) {
      connection.finish('bind refused')
      return
    }
    bind = asked
    if (asked.kind === 'transmitter') return
    outbox = events.outboxOf(asked.systemId)
    outbox.join(receiver)
  }

  function acknowledged(number: number, status: number): void {
    const receipt = unacknowledged.get(number)
    if (!receipt || !outbox) return
    unacknowledged.delete(number)
    if (status === STATUS.ok) outbox.flush()
    else outbox.postpone(receipt)
  }

  return peer
}
