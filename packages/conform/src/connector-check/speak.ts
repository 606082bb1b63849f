import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { toolCatalogue } from '@wigwag/mcp'
import * as z from 'zod'
import { firstWords } from './first-words.ts'
import { askDiscovery, CLIENT, readDiscovery } from './newest.ts'
import type { Passed, Progress } from './progress.ts'
import { createWatch, REQUEST_MS, type Visit, Wrong } from './visit.ts'

export interface SpeakOptions {
  url: string
  token: string | undefined
  /** What the token is for, if the server said so. */
  scope: string | undefined
  visit: Visit
  progress: Progress
}

/** What the connector says. Undefined where it did not say it. */
export interface Spoken {
  revisions: string[]
  tools?: string[]
  maySend?: boolean
  balance?: z.infer<typeof balanceSchema>
}

const balanceSchema = z.object({ balance: z.number(), currency: z.string() })

const NEWEST = '2026-07-28'
const EARLIER = '2025-11-25'
const LIMIT = { timeout: REQUEST_MS }

/** Speaks the protocol in its two newest revisions, and calls one tool, which only reads. */
export async function speak(options: SpeakOptions): Promise<Spoken> {
  const { url, token, visit, progress } = options
  const revisions: string[] = []
  await progress.attempt(NEWEST, async () => {
    const { spoken, detail } = readDiscovery(await askDiscovery(visit, url, token))
    if (spoken) revisions.push(NEWEST)
    return { state: spoken ? 'ok' : 'warn', detail, value: undefined }
  })
  const assistant = await progress.attempt(EARLIER, () => connectEarlier(options))
  if (!assistant) return { revisions }
  revisions.push(EARLIER)
  try {
    return { revisions, ...(await useTools(assistant, options)) }
  } finally {
    await assistant.close()
  }
}

/** The protocol's own client. Its errors name the request and what came. */
export interface Assistant {
  listTools(): Promise<ListedTool[]>
  call(name: string): Promise<Awaited<ReturnType<Client['callTool']>>>
  close(): Promise<void>
}

interface ListedTool {
  name: string
  /** Whether the server says that the tool only reads. Undefined where it does not say. */
  readOnly: boolean | undefined
}

async function connectEarlier(options: SpeakOptions): Promise<Passed<Assistant>> {
  const { assistant, revision, who } = await connect(options)
  if (revision === EARLIER) return { detail: `spoken by ${who}`, value: assistant }
  await assistant.close()
  throw new Wrong(`POST ${options.url}: expected revision ${EARLIER}; ${who} speaks ${firstWords(revision)}`)
}

/** Connects in the newest revision that both the library and the server speak. */
export async function connect({ url, token, visit }: Pick<SpeakOptions, 'url' | 'token' | 'visit'>) {
  const client = new Client(CLIENT)
  const watch = createWatch(visit)
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: watch.fetch,
    ...(headers && { requestInit: { headers } }),
  })
  const explained = <T>(expected: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw watch.explain(error, expected)
    })
  await explained('an answer to initialize', client.connect(transport, LIMIT))
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  const who = firstWords(`${name} ${version}`)
  const assistant: Assistant = {
    async listTools() {
      const { tools } = await explained('an answer to tools/list', client.listTools(undefined, LIMIT))
      return tools.map(({ name, annotations }) => ({ name, readOnly: annotations?.readOnlyHint }))
    },
    call: (tool) => explained(`an answer to ${tool}`, client.callTool({ name: tool }, undefined, LIMIT)),
    close: () => client.close(),
  }
  return { assistant, revision: transport.protocolVersion ?? '', who }
}

async function useTools(
  assistant: Assistant,
  { scope, progress }: SpeakOptions,
): Promise<Omit<Spoken, 'revisions'>> {
  const found = await progress.attempt('tools', async () => {
    const tools = (await assistant.listTools()).map(({ name }) => name)
    const maySend = mayWrite(tools, scope)
    return { ...judge(tools, maySend), value: { tools, maySend } }
  })
  if (!found) return {}
  const { tools, maySend } = found
  await progress.attempt('sending', async () => ({
    detail: maySend ? 'this connection may send' : 'this connection may only read',
    value: undefined,
  }))
  const balance = await progress.attempt('balance', () => readBalance(assistant))
  return { tools, maySend, ...(balance && { balance }) }
}

/** Whether the connection may send: by the scope of its token, else by whether it is shown a tool that writes. */
function mayWrite(tools: readonly string[], scope: string | undefined): boolean {
  if (scope !== undefined) return scope.split(' ').includes('sms:send')
  return toolCatalogue.some(({ name, annotations }) => !annotations.readOnlyHint && tools.includes(name))
}

function judge(tools: readonly string[], maySend: boolean): { state: 'ok' | 'warn'; detail: string } {
  const expected = toolCatalogue
    .filter(({ annotations }) => maySend || annotations.readOnlyHint)
    .map(({ name }) => name as string)
  const missing = expected.filter((name) => !tools.includes(name))
  const more = tools.filter((name) => !expected.includes(name)).map((name) => firstWords(name))
  if (missing.length > 0) {
    throw new Wrong(
      `expected the ${expected.length} tools of a connection that ${maySend ? 'may send' : 'may only read'}; ` +
        `missing: ${missing.join(', ')}`,
    )
  }
  const detail = `all ${expected.length} ${maySend ? '' : 'that read '}are there`
  if (more.length === 0) return { state: 'ok', detail }
  return { state: 'warn', detail: `${detail}, and others: ${more.join(', ')}` }
}

async function readBalance(assistant: Assistant): Promise<Passed<z.infer<typeof balanceSchema>>> {
  const { isError, content, structuredContent } = await assistant.call('get_balance')
  if (isError === true) throw new Wrong(`get_balance failed: ${wordsOf(content)}`)
  const { data } = balanceSchema.safeParse(structuredContent)
  if (!data) throw new Wrong('get_balance: expected a balance and a currency; got something else')
  return { detail: `${data.balance.toFixed(2)} ${firstWords(data.currency)}`, value: data }
}

const contentSchema = z.array(z.object({ text: z.string().optional() }))

export function wordsOf(content: unknown): string {
  const { data = [] } = contentSchema.safeParse(content)
  return firstWords(data.map(({ text = '' }) => text).join(' '), 300)
}
