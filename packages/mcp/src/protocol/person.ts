import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  isSpecType,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Person, ProgramAnswer, Question } from '../confirm/index.ts'

/** The name of the question among those of one call. There is never another. */
const CONFIRM = 'confirm'
const formsSchema = z.object({ form: z.unknown(), url: z.unknown() }).partial()
const ticked = z.object({ [CONFIRM]: z.literal(true) })

/** A question is good for ten minutes, and so is the wait for its answer. */
const TEN_MINUTES = 600_000

/** A form with the question, in the words of the protocol. */
function formOf({ text, yes }: Question) {
  const box = { type: 'boolean' as const, title: yes }
  const requestedSchema = { type: 'object' as const, properties: { [CONFIRM]: box }, required: [CONFIRM] }
  return { message: text, requestedSchema }
}

/** A question to the person as the result of the call, at 2026-07-28. */
export function toQuestion(question: Question, state: string): InputRequiredResult {
  return inputRequired({
    inputRequests: { [CONFIRM]: inputRequired.elicit(formOf(question)) },
    requestState: state,
  })
}

/** Whether the client is asked over the open connection, while the call runs: before 2026-07-28. */
export function isAskedAtOnce({ mcpReq }: ServerContext): boolean {
  return mcpReq.envelope === undefined
}

/** Asks over the open connection. The person of the same call, with the answer; a client that fails to ask gives none. */
export async function askAtOnce(
  server: Server,
  { mcpReq: { id, signal } }: ServerContext,
  question: Question,
  state: string,
): Promise<Person> {
  const said = await server
    .request(
      { method: 'elicitation/create', params: { mode: 'form', ...formOf(question) } },
      { relatedRequestId: id, timeout: TEN_MINUTES, signal },
    )
    .then(
      ({ action, content }): ProgramAnswer =>
        action === 'accept' && !ticked.safeParse(content).success ? 'decline' : action,
      () => 'none' as const,
    )
  return { canBeAsked: true, answer: { said, state } }
}

/** The person behind a call: whether its client can ask them, and what it answered to an earlier question. */
export function personOf(server: Server, { mcpReq }: ServerContext): Person {
  const canBeAsked = canShowForms(server, mcpReq)
  const state: unknown = mcpReq.requestState()
  const response = inputResponse(mcpReq.inputResponses, CONFIRM)
  if (typeof state !== 'string' || response.kind !== 'elicit') return { canBeAsked }
  return { canBeAsked, answer: { said: saidIn(mcpReq.inputResponses, response.action), state } }
}

function saidIn(responses: ServerContext['mcpReq']['inputResponses'], action: string): ProgramAnswer {
  if (action === 'cancel') return 'cancel'
  return acceptedContent(responses, CONFIRM, ticked) ? 'accept' : 'decline'
}

/**
 * A client of 2026-07-28 declares its capabilities with each request, earlier ones once at `initialize`. So
 * earlier clients can't be asked over HTTP without sessions. A client that declares only `url` has no forms.
 */
function canShowForms(server: Server, { envelope }: ServerContext['mcpReq']): boolean {
  const told: unknown = new Map(Object.entries(envelope ?? {})).get(CLIENT_CAPABILITIES_META_KEY)
  const capabilities = isSpecType.ClientCapabilities(told) ? told : server.getClientCapabilities()
  const forms = formsSchema.safeParse(capabilities?.elicitation)
  return forms.success && (forms.data.form !== undefined || forms.data.url === undefined)
}
