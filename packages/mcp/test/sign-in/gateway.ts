/** A gateway that people sign in at, for tests: a stand-in or the real one. */
export interface SignInGateway {
  /** Its public URL, at which it listens. */
  issuer: string
  /** Adds a connector at that address, as `wigwag connector add` does. */
  addConnector(resource: string): Promise<ConnectorCredentials>
  /** Makes a new account with a connection and its assistant's token, as sign-in and consent do. */
  allow(resource: string, allowed?: Allowed): Promise<Connected>
  /** Ends a connection, as the connections page does. */
  revoke(connection: string): Promise<void>
  /** Lets the tokens of assistants expire, as a quarter of an hour would. */
  expireTokens(): Promise<void>
  /** The requests to its REST API so far. */
  received(): readonly ReceivedRequest[]
}

export interface ConnectorCredentials {
  id: string
  secret: string
}

export interface Allowed {
  /** False unless given. */
  canSend?: boolean
}

export interface Connected {
  connection: string
  token: string
}

export interface ReceivedRequest {
  method: string
  path: string
  authorization: string | null
}
