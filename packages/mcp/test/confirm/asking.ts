import { createHttpHandler, type Identity } from '@wigwag/mcp'
import { type Connector, type ConnectorOptions, openConnector } from '../fixtures/connector.ts'
import { envelope, STATELESS, statelessRequest } from '../fixtures/stateless.ts'

/** A client's answer to a question. */
export interface Answer {
  requestState: string
  inputResponses: { confirm: object }
}

export interface Reply {
  /** The question to the person, if they are asked. */
  question?: { message: string; requestedSchema: object }
  state?: string
  isError?: boolean
  text?: string
  data?: Record<string, unknown>
  /** The code of an error of the protocol. */
  code?: number
}

export interface AskingConnector extends Connector {
  /** Calls a tool as a client of 2026-07-28 that can show forms. */
  ask(tool: string, args: object, answer?: Answer): Promise<Reply>
  /** The same with other capabilities, or as another connection. */
  askAs(
    who: { capabilities?: object; identity?: Identity },
    tool: string,
    args: object,
    answer?: Answer,
  ): Promise<Reply>
}

export const yes = ({ state = '' }: Reply): Answer => answered(state, 'accept', { confirm: true })
export const unticked = ({ state = '' }: Reply): Answer => answered(state, 'accept', { confirm: false })
export const no = ({ state = '' }: Reply): Answer => answered(state, 'decline')
export const closed = ({ state = '' }: Reply): Answer => answered(state, 'cancel')

function answered(requestState: string, action: string, content?: object): Answer {
  return { requestState, inputResponses: { confirm: { action, ...(content && { content }) } } }
}

/** A connector, and a client that can ask its person. */
export async function openAsking(options: ConnectorOptions = {}): Promise<AskingConnector> {
  const connector = await openConnector(options)
  const askAs: AskingConnector['askAs'] = async (who, tool, args, answer) => {
    const { identity = connector.identity, capabilities = { elicitation: { form: {} } } } = who
    const handle = createHttpHandler({ identify: async () => identity, allowedHosts: ['connector.invalid'] })
    const params = { name: tool, arguments: args, ...answer }
    const { headers, body } = statelessRequest('tools/call', params)
    const _meta = envelope(STATELESS, capabilities)
    const response = await handle(
      new Request('http://connector.invalid/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...body, params: { ...params, _meta } }),
      }),
    )
    return replyOf(await response.json())
  }
  return { ...connector, ask: (...call) => askAs({}, ...call), askAs }
}

function replyOf({ result, error }: { result?: RawResult; error?: { code: number } }): Reply {
  if (error) return { code: error.code }
  if (result?.resultType === 'input_required') {
    return { question: result.inputRequests?.confirm.params ?? NONE, state: result.requestState ?? '' }
  }
  return {
    isError: result?.isError === true,
    text: result?.content?.map(({ text }) => text).join('\n') ?? '',
    data: { ...result?.structuredContent },
  }
}

const NONE = { message: '', requestedSchema: {} }

interface RawResult {
  resultType: string
  inputRequests?: { confirm: { params: { message: string; requestedSchema: object } } }
  requestState?: string
  isError?: boolean
  content?: { text: string }[]
  structuredContent?: object
}
