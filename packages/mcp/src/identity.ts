import type { Client } from '@wigwag/sdk'
import type { Gate } from './gate.ts'

/** Who calls: one person's connection, what it may reach and what it may do. */
export interface Identity {
  /** Names the connection in limits and in the audit. */
  connection: string
  /** The gateway, with the credentials of this connection alone. */
  client: Client
  gate: Gate
  /** Whether the tools that write are there for it. */
  canSend: boolean
  /** Where the person who signed in for it sees it, and can end it. A client with credentials of its own has none. */
  portal?: string
  /** The address that its token was made for, whose client can ask for more. One with credentials has none. */
  resource?: string
}
