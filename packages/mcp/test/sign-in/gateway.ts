/** What the tests need of a gateway that people sign in at. The stand-in and the real gateway implement it. */
export interface SignInGateway {
  /** Its public URL, at which it listens. */
  issuer: string
  /** What `wigwag connector add` does for a connector at that address. */
  addConnector(resource: string): Promise<ConnectorCredentials>
  /** What sign-in and consent result in: a new account with a connection, and the token of its assistant. */
  allow(resource: string, allowed?: Allowed): Promise<Connected>
  /** What the connections page does. */
  revoke(connection: string): Promise<void>
  /** What a quarter of an hour does to the tokens of assistants. */
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
