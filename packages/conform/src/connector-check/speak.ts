import { toolCatalogue } from '@wigwag/mcp'
import * as z from 'zod'
import { Assistant } from './assistant.ts'
import { excerpt } from './excerpt.ts'
import { askDiscovery, readDiscovery } from './newest.ts'
import type { Passed, Progress } from './progress.ts'
import { type Visit, Wrong } from './visit.ts'

export interface SpeakOptions {
  url: string
  token: string | undefined
  /** The token's scopes, if the server named them. */
  scope: string | undefined
  visit: Visit
  progress: Progress
}

/** Facts that the connector told. A field is absent when it did not tell it. */
export interface Spoken {
  revisions: string[]
  tools?: string[]
  maySend?: boolean
  balance?: z.infer<typeof balanceSchema>
}

const balanceSchema = z.object({ balance: z.number(), currency: z.string() })

const NEWEST = '2026-07-28'
const EARLIER = '2025-11-25'

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

async function connectEarlier({ url, token, visit }: SpeakOptions): Promise<Passed<Assistant>> {
  const assistant = new Assistant({ url, token, visit })
  await assistant.connect()
  const { revision, server } = assistant
  if (revision === EARLIER) return { detail: `spoken by ${server}`, value: assistant }
  await assistant.close()
  throw new Wrong(`POST ${url}: expected revision ${EARLIER}; ${server} speaks ${excerpt(revision)}`)
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
    .map(({ name }): string => name)
  const missing = expected.filter((name) => !tools.includes(name))
  const more = tools.filter((name) => !expected.includes(name)).map((name) => excerpt(name))
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
  const { data } = balanceSchema.safeParse(await assistant.readBalance())
  if (!data) throw new Wrong('get_balance: expected a balance and a currency; got something else')
  return { detail: `${data.balance.toFixed(2)} ${excerpt(data.currency)}`, value: data }
}
