import { metadataUrl } from '@wigwag/mcp'
import { came } from './answers.ts'
import { Assistant, type ListedTool } from './connector-check/assistant.ts'
import { discover, readChallenge, readMetadata, readResource } from './connector-check/discover.ts'
import { excerpt } from './connector-check/excerpt.ts'
import { askDiscovery } from './connector-check/newest.ts'
import { createProgress } from './connector-check/progress.ts'
import { revoke } from './connector-check/revoke.ts'
import { signIn } from './connector-check/sign-in.ts'
import { type Visit, type Visited, Wrong } from './connector-check/visit.ts'
import { NotTried } from './not-tried.ts'

export interface McpUnderTestOptions {
  address: string
  /** Whether the address was given. Else it is the usual one, at which there need be nothing. */
  isGiven: boolean
  token: string | undefined
  /** How a person signs in, if one is there to do it. */
  person: { invite(url: string): void; timeoutMs: number } | undefined
  visit: Visit
  /** Makes a request to its end even when the run is stopped. */
  visitToTheEnd: Visit
  stopped: AbortSignal
}

/** Asks the server's `/mcp` for the checks, with the client of `wigwag connector check`. */
export interface McpUnderTest {
  address: string
  /** Resolves when a request with this token, or with none, is refused with a 401. */
  refuses(token: string | undefined): Promise<void>
  /** The sign-in server's own metadata. */
  metadata(): Promise<Awaited<ReturnType<typeof readMetadata>>['document']>
  /** Faults that `wigwag connector check` finds on the way to the sign-in. */
  wrongBeforeSignIn(): Promise<string[]>
  tools(): Promise<ListedTool[]>
  /** Calls `get_balance`, which only reads. */
  readBalance(): Promise<void>
  /** Ends the connection that was made by a sign-in. */
  close(): Promise<void>
}

export function createMcpUnderTest(options: McpUnderTestOptions): McpUnderTest {
  const { address, isGiven, visit, visitToTheEnd, stopped } = options
  let knocked: Promise<Visited> | undefined
  let opened: Promise<Assistant> | undefined
  let end: () => Promise<unknown> = async () => {}

  /** Sends a request without a token. The specification lets the tools be at another address than the API. */
  async function knock(): Promise<Visited> {
    knocked ??= askDiscovery(visit, address)
    const visited = await knocked
    if (visited.status === 404 && !isGiven)
      throw new NotTried(`nothing is at ${address}; the tools may be elsewhere: --mcp gives the address`)
    return visited
  }

  async function bySignIn(): Promise<string> {
    const { person } = options
    if (!person)
      throw new NotTried('needs a token in WIGWAG_CONNECTOR_TOKEN, or a person: --sign-in opens a browser')
    const progress = createProgress(() => {}, stopped)
    const failure = () =>
      progress.findings.find(({ state }) => state === 'fail')?.detail ?? 'no sign-in is asked for'
    const place = await discover(address, { visit, progress })
    if (!place || place === 'no sign-in') throw new NotTried(`no one could sign in: ${failure()}`)
    const connection = await signIn(place, { ...person, visit, visitToTheEnd, progress, stopped })
    if (!connection) throw new NotTried(`no one could sign in: ${failure()}`)
    end = () => revoke(place, connection, visitToTheEnd)
    return connection.tokens.access_token
  }

  async function open(): Promise<Assistant> {
    await knock()
    const token = options.token ?? (await bySignIn())
    const assistant = new Assistant({ url: address, token, visit })
    await assistant.connect()
    return assistant
  }

  const assistant = () => {
    opened ??= open()
    return opened
  }

  return {
    address,
    async refuses(token) {
      await knock()
      await useAsStranger(visit, address, token)
    },
    async metadata() {
      const visited = await knock()
      try {
        const place = await readChallenge(address, visited).then(
          ({ value }) => value.place,
          () => metadataUrl(address),
        )
        const { value: issuer } = await readResource(visit, address, place)
        return (await readMetadata(visit, issuer)).document
      } catch (error) {
        if (!(error instanceof Wrong)) throw error
        throw new NotTried(`the sign-in server's description was not found: ${error.message}`)
      }
    },
    async wrongBeforeSignIn() {
      await knock()
      const progress = createProgress(() => {}, stopped)
      const place = await discover(address, { visit, progress })
      if (place === 'no sign-in') return ['no sign-in is asked for']
      return progress.findings.filter(({ state }) => state === 'fail').map(({ detail }) => detail)
    },
    tools: () => inWords(async () => (await assistant()).listTools()),
    readBalance: () =>
      inWords(async () => {
        await (await assistant()).readBalance()
      }),
    async close() {
      await (await opened?.catch(() => undefined))?.close()
      await end()
    },
  }
}

/** Errors of the protocol's library as findings. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Wrong || error instanceof NotTried || !(error instanceof Error)) throw error
    throw new Wrong(excerpt(error.message), { cause: error })
  }
}

/**
 * Goes as far as the server lets a stranger go: to a 401 at the first request, or at one of the next, since a server may
 * refuse only what belongs to an account.
 */
async function useAsStranger(visit: Visit, url: string, token: string | undefined): Promise<void> {
  let last: Visited | undefined
  const watching: Visit = async (place, init) => {
    const visited = await visit(place, init)
    if (init?.method === 'POST') last = visited
    return visited
  }
  try {
    const assistant = new Assistant({ url, token, visit: watching })
    await assistant.connect()
    try {
      await assistant.listTools()
      await assistant.readBalance()
    } finally {
      await assistant.close()
    }
  } catch (error) {
    if (!last) throw error
  }
  if (last?.status !== 401) throw new Wrong(last ? came(last) : 'no answer came')
}
