import { createServer } from 'node:http'
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { onTestFinished } from 'vitest'

/** An assistant as the protocol's own library makes one, which waits on this machine for the person's answer. */
export interface OfficialClient {
  /** Connects, by signing in when it must: `signIn` takes a browser to the address it is given. */
  connect(signIn?: (url: string) => Promise<void>): Promise<Client>
  tokens: OAuthTokens | undefined
}

/** The person has to sign in, and nobody was there to do it. */
export { UnauthorizedError }

export async function createOfficialClient(mcpUrl: string): Promise<OfficialClient> {
  const came = Promise.withResolvers<URL>()
  const listener = createServer((request, response) => {
    response.end('You may close this window.')
    came.resolve(new URL(request.url ?? '', 'http://127.0.0.1'))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listener.close())
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const redirectUrl = `http://127.0.0.1:${port}/callback`

  let information: OAuthClientInformationMixed | undefined
  let verifier = ''
  let asked: URL | undefined
  const official: OfficialClient = { connect, tokens: undefined }
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Official client',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => information,
    saveClientInformation(given) {
      information = given
    },
    tokens: () => official.tokens,
    saveTokens(given) {
      official.tokens = given
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(given) {
      verifier = given
    },
    redirectToAuthorization(url) {
      asked = url
    },
  }
  const transport = () => new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: provider })

  async function connect(signIn?: (url: string) => Promise<void>): Promise<Client> {
    const first = transport()
    try {
      return await begin(first)
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !signIn || !asked) throw error
      await signIn(asked.href)
      const code = (await came.promise).searchParams.get('code')
      if (code === null) throw new Error(`no code came back: ${(await came.promise).search}`)
      await first.finishAuth(code)
      return begin(transport())
    }
  }

  async function begin(by: StreamableHTTPClientTransport): Promise<Client> {
    const client = new Client({ name: 'official', version: '1.0.0' })
    await client.connect(by)
    onTestFinished(() => client.close())
    return client
  }
  return official
}
