import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as z from 'zod'
import { excerpt } from './excerpt.ts'
import { CLIENT } from './newest.ts'
import { createWatch, REQUEST_MS, type Visit, type Watch, Wrong } from './visit.ts'

export interface ListedTool {
  name: string
  /** Whether the server says that the tool only reads. Undefined where it does not say. */
  readOnly: boolean | undefined
}

const LIMIT = { timeout: REQUEST_MS }

const contentSchema = z.array(z.object({ text: z.string().optional() }))

/** Uses a connector by the protocol's own client. Errors name the request and what came. */
export class Assistant {
  readonly #client = new Client(CLIENT)
  readonly #transport: StreamableHTTPClientTransport
  readonly #watch: Watch

  constructor({ url, token, visit }: { url: string; token: string | undefined; visit: Visit }) {
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
    this.#watch = createWatch(visit)
    this.#transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: this.#watch.fetch,
      ...(headers && { requestInit: { headers } }),
    })
  }

  /** Connects in the newest revision that both the library and the server speak. */
  connect(): Promise<void> {
    return this.#explained('an answer to initialize', this.#client.connect(this.#transport, LIMIT))
  }

  /** The revision of the connection; empty before it. */
  get revision(): string {
    return this.#transport.protocolVersion ?? ''
  }

  /** The server's name and version, as it tells them. */
  get server(): string {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {}
    return excerpt(`${name} ${version}`)
  }

  async listTools(): Promise<ListedTool[]> {
    const asked = this.#client.listTools(undefined, LIMIT)
    const { tools } = await this.#explained('an answer to tools/list', asked)
    return tools.map(({ name, annotations }) => ({ name, readOnly: annotations?.readOnlyHint }))
  }

  /** Calls `get_balance`, which only reads. Returns its structured content. */
  async readBalance(): Promise<unknown> {
    const called = this.#client.callTool({ name: 'get_balance' }, undefined, LIMIT)
    const { isError, content, structuredContent } = await this.#explained('an answer to get_balance', called)
    if (isError === true) throw new Wrong(`get_balance failed: ${wordsOf(content)}`)
    return structuredContent
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  #explained<T>(expected: string, work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw this.#watch.explain(error, expected)
    })
  }
}

function wordsOf(content: unknown): string {
  const { data = [] } = contentSchema.safeParse(content)
  return excerpt(data.map(({ text = '' }) => text).join(' '), 300)
}
