import { freePort } from '../../../server/test/support/free-port.ts'
import { type Assistant, connectOverHttp } from '../fixtures/assistant.ts'
import { freshState, startProgram } from '../fixtures/process.ts'
import type { Program } from '../fixtures/program.ts'
import type { SignInGateway } from './gateway.ts'

export interface RunningConnector {
  /** The public address, which is also the real one. */
  url: string
  program: Program
  /** The file in which sends are recorded. */
  state: string
}

/** The program in its own process, as an operator sets it up. */
export async function startSignInConnector(gateway: SignInGateway): Promise<RunningConnector> {
  // The public URL has to be known before the program starts.
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const { id, secret } = await gateway.addConnector(url)
  const state = freshState()
  const program = startProgram(
    {
      WIGWAG_BASE_URL: gateway.issuer,
      WIGWAG_CONNECTOR_ID: id,
      WIGWAG_CONNECTOR_SECRET: secret,
      WIGWAG_MCP_STATE: state,
    },
    ['--http', '--public-url', url, '--port', String(port)],
  )
  await program.listening
  return { url, program, state }
}

/** An assistant with the token of a connection. */
export function connectWithToken(url: string, token: string): Promise<Assistant> {
  return connectOverHttp(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } })
}
