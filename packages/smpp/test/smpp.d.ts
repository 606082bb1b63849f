/** The part of the package that the tests use; it brings no types. */
declare module 'smpp' {
  import type { Server } from 'node:net'

  interface PDU {
    command: string
    command_status: number
    message_id: string
    esm_class: number
    system_id: string
    password: string
    interface_version: number
    source_addr: string
    source_addr_ton: number
    destination_addr: string
    data_coding: number
    registered_delivery: number
    validity_period: unknown
    short_message: { message: string | Buffer; udh?: Buffer[] }
    response(fields?: Record<string, unknown>): PDU
  }

  interface Session {
    once(event: string, listener: () => void): void
    bind_transceiver(fields: Record<string, unknown>, answered: (pdu: PDU) => void): void
    submit_sm(fields: Record<string, unknown>, answered: (pdu: PDU) => void): void
    unbind(answered: () => void): void
    on(event: string, listener: (pdu: PDU) => void): void
    on(event: 'error', listener: (error: Error) => void): void
    send(pdu: PDU): void
    deliver_sm(fields: Record<string, unknown>, answered: (pdu: PDU) => void): void
    destroy(): void
    close(): void
  }

  const smpp: {
    connect(options: { host: string; port: number; auto_enquire_link_period?: number }): Session
    createServer(listener: (session: Session) => void): Server
    ESME_RTHROTTLED: number
  }
  export default smpp
  export type { PDU, Session }
}
