/** The tools of the suite that ask their client back: at 2026-07-28 a question is a result, and the answer is a new call. */
import { randomBytes } from 'node:crypto'
import {
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'

type Questions = Record<string, InputRequest>

const string = { type: 'string' as const }
const ask = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: string }, required: [field] },
  })
const confirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const sample = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 100,
  })
const name = { user_name: ask('What is your name?', 'name') }
const capital = { capital_question: sample('What is the capital of France?') }

/** The questions of each tool, round by round. */
const rounds: Readonly<Record<string, readonly Questions[]>> = {
  test_input_required_result_elicitation: [name],
  test_input_required_result_sampling: [capital],
  test_input_required_result_list_roots: [{ client_roots: inputRequired.listRoots() }],
  test_input_required_result_request_state: [{ confirm }],
  test_input_required_result_tampered_state: [{ confirm }],
  test_input_required_result_multiple_inputs: [
    { ...name, greeting: sample('Generate a greeting'), client_roots: inputRequired.listRoots() },
  ],
  test_input_required_result_multi_round: [
    { step1: ask('Step 1: What is your name?', 'name') },
    { step2: ask('Step 2: What is your favorite color?', 'color') },
  ],
  test_input_required_result_prompt: [
    { user_context: ask('What context should the prompt use?', 'context') },
  ],
  test_input_required_result_capabilities: [capital],
  test_missing_capability: [capital],
  test_streaming_elicitation: [name],
}
export const askingTools = Object.keys(rounds).filter((tool) => !tool.endsWith('_prompt'))

/** The key of this process: the state comes back from the client, which may have changed it. */
const codec = createRequestStateCodec<number>({ key: randomBytes(32), ttlSeconds: 600 })
export const requestState = { verify: codec.verify }

/** The next question of a tool or a prompt; undefined when all are answered, or when it has none. */
export async function questionOf(
  asker: string,
  context: ServerContext,
): Promise<InputRequiredResult | undefined> {
  const { inputResponses, requestState } = context.mcpReq
  const all = rounds[asker] ?? []
  const state: unknown = requestState()
  const round = typeof state === 'number' ? state : 0
  const asked = Object.keys(all[round] ?? {})
  const isAnswered = asked.every((key) => inputResponse(inputResponses, key).kind !== 'missing')
  const next = isAnswered ? round + 1 : round
  const inputRequests = all[next]
  return inputRequests && inputRequired({ inputRequests, requestState: await codec.mint(next, context) })
}
