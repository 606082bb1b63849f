import { fromDecimal, toDecimal } from '@wigwag/contract'
import type { CallOptions, Client, Estimate, EstimateRequest, SendResult } from '@wigwag/sdk'
import type { Question, Yes } from '../confirm/index.ts'
import type { Preview, Sent } from '../gate/index.ts'
import { missingOperation } from './explain.ts'
import { quotedLines } from './plain-text.ts'
import { type ToolContext, toWire } from './tool.ts'

/** The arguments of a tool that sends. */
interface SendInput {
  from: string
  to: string
  content: string
  reference?: string | undefined
  send_at?: string | undefined
  idempotency_key?: string | undefined
  max_cost?: number | undefined
}

type SendingTool = 'send_sms' | 'schedule_sms'

/** For what only spares the person a question. */
const BRIEFLY: CallOptions = { retries: 0, timeout: 5_000 }

/** Sends through the gate. `yes` is what the person said, if they were asked. */
export function sendThroughGate<Result extends { Ticket: string }>(
  tool: SendingTool,
  input: SendInput,
  { client, gate }: ToolContext,
  yes: Yes | undefined,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Sent<Result>> {
  const request = requestOf(tool, input)
  const estimate = (options?: CallOptions) =>
    estimateIfAny(client, toWire('estimate_cost', request.message), options)
  return gate.send({ ...request, yes, estimate, send })
}

/** The facts of a send that was made. */
export function toAccepted(
  { result, cost, currency, left }: Sent<SendResult>,
  { content }: SendInput,
  yes: Yes | undefined,
) {
  return {
    ticket: result.Ticket,
    status: result.Status,
    to: result.Destination,
    reference: result.ClientReference,
    content,
    price: cost === undefined ? undefined : toDecimal(cost),
    currency,
    left_spend: left.spend === undefined ? undefined : toDecimal(left.spend),
    left_messages: left.messages,
    asked: yes !== undefined,
  }
}

/** Sentences about the price of a send, what is left of the limits, and who was asked about it. */
export function afterwards(
  { cost, currency = '', left }: Sent<unknown>,
  until: string,
  yes: Yes | undefined,
): string {
  const price = cost === undefined ? '' : `, ${toDecimal(cost)} ${currency},`
  const rest = leftInWords(left, currency)
  return [
    `Its price${price} is held ${until}.`,
    ...(rest === '' ? [] : [`Left of today's limits: ${rest}.`]),
    yes ? 'Your program answered the question before it with yes.' : NOBODY_ASKED,
  ].join(' ')
}

const NOBODY_ASKED = 'Nobody was asked before it: tell the person what was sent.'

/** The question before a send: its text, recipient and price, and the rest of the limits. */
export async function sendQuestion(
  tool: SendingTool,
  input: SendInput,
  { client, gate }: ToolContext,
): Promise<Question> {
  const request = requestOf(tool, input)
  const { from, to, content, send_at } = input
  // A repeat gets its first answer, though its time may have come by now.
  const time = (isNew: boolean) => (isNew && send_at !== undefined ? { SendAt: send_at } : {})
  const estimate = (isNew: boolean) =>
    estimateIfAny(client, { ...toWire('estimate_cost', request.message), ...time(isNew) })
  const balance = () => client.getBalance(BRIEFLY).catch(() => undefined)
  const preview = await gate.preview({ ...request, estimate, balance })
  const lines = [
    send_at === undefined ? 'Send this SMS now?' : `Schedule this SMS for ${send_at}?`,
    '',
    `To: ${to}${placeOf(preview.estimate)}`,
    `From: ${from}`,
    ...priceLines(preview),
    'Text:',
    quotedLines(content),
  ]
  return {
    text: lines.join('\n'),
    yes: send_at === undefined ? 'Send it' : 'Schedule it',
    cost: preview.estimate && fromDecimal(preview.estimate.Cost),
  }
}

function requestOf(tool: SendingTool, input: SendInput) {
  const { idempotency_key: idempotencyKey, max_cost: maxCost, ...message } = input
  return { tool, to: input.to, message, maxCost, idempotencyKey }
}

/** The price, after the checks that a send has to pass. A gateway with only the specified operations tells no prices. */
async function estimateIfAny(
  client: Client,
  message: EstimateRequest,
  options?: CallOptions,
): Promise<Estimate | undefined> {
  try {
    return await client.estimateCost(message, options)
  } catch (error) {
    if (missingOperation(error)) return undefined
    throw error
  }
}

function placeOf(estimate: Estimate | undefined): string {
  const names = [estimate?.Network, estimate?.Country].filter(Boolean)
  return names.length > 0 ? ` (${names.join(', ')})` : ''
}

function priceLines({ estimate, left }: Preview): string[] {
  if (!estimate) return ['Price: not known, this gateway tells none']
  const { Cost, Currency, Segments } = estimate
  const rest = leftInWords(left, Currency)
  const segments = Segments === 1 ? '1 segment' : `${Segments} segments`
  return [
    `Price: ${Cost} ${Currency} for ${segments}`,
    ...(rest === '' ? [] : [`Left of today's limits before it: ${rest}`]),
  ]
}

/** The rest of today's limits: `4.5 GHS and 1 message`. Empty when no limit is known. */
function leftInWords({ spend, messages }: Preview['left'], currency: string): string {
  const parts = [
    spend !== undefined && `${toDecimal(spend)} ${currency}`,
    messages !== undefined && (messages === 1 ? '1 message' : `${messages} messages`),
  ]
  return parts.filter(Boolean).join(' and ')
}
