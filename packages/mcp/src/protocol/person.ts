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
import type { Person, Question } from '../confirm/index.ts'

/** The name of the question among those of one call. There is never another. */
const CONFIRM = 'confirm'
const formsSchema = z.object({ form: z.unknown(), url: z.unknown() }).partial()
const ticked = z.object({ [CONFIRM]: z.literal(true) })

/**
 * A question to the person, in the words of the protocol. At 2026-07-28 it is the result of the call; before, the library
 * asks over the open connection, and makes the call again with the answer.
 */
export function toQuestion({ text, yes }: Question, state: string): InputRequiredResult {
  const box = { type: 'boolean' as const, title: yes }
  const requestedSchema = { type: 'object' as const, properties: { [CONFIRM]: box }, required: [CONFIRM] }
  return inputRequired({
    inputRequests: { [CONFIRM]: inputRequired.elicit({ message: text, requestedSchema }) },
    requestState: state,
  })
}

/** The person behind a call: whether its client can ask them, and what they said to an earlier question. */
export function personOf(server: Server, { mcpReq }: ServerContext): Person {
  const canBeAsked = canShowForms(server, mcpReq)
  const state: unknown = mcpReq.requestState()
  const response = inputResponse(mcpReq.inputResponses, CONFIRM)
  if (typeof state !== 'string' || response.kind !== 'elicit') return { canBeAsked }
  return { canBeAsked, answer: { said: saidIn(mcpReq.inputResponses, response.action), state } }
}

/** Closing a form is no answer; a form that is sent without a tick is a no. */
function saidIn(responses: ServerContext['mcpReq']['inputResponses'], action: string) {
  if (action === 'cancel') return 'nothing'
  return acceptedContent(responses, CONFIRM, ticked) ? 'yes' : 'no'
}

/**
 * A client says what it can with each request at 2026-07-28, and once at `initialize` before it; over HTTP without
 * sessions, earlier clients can't be asked. One that only opens addresses has no forms.
 */
function canShowForms(server: Server, { envelope }: ServerContext['mcpReq']): boolean {
  const told: unknown = new Map(Object.entries(envelope ?? {})).get(CLIENT_CAPABILITIES_META_KEY)
  const capabilities = isSpecType.ClientCapabilities(told) ? told : server.getClientCapabilities()
  const forms = formsSchema.safeParse(capabilities?.elicitation)
  return forms.success && (forms.data.form !== undefined || forms.data.url === undefined)
}
