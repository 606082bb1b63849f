import type { OutboundRequest } from '../../../net/outbound/port.ts'
import type { Submission } from '../../carrier.ts'
import type { HttpSettings } from '../settings.ts'
import {
  escapeForHeader,
  escapeForUrl,
  type FilledJson,
  fill,
  numberOf,
  type RequestTemplate,
  type Values,
} from './template.ts'

const LARGEST_REPLY = 64 * 1024
/** Numbers that are shorter are short codes, which have no international form. */
const SHORTEST_INTERNATIONAL = 7

/** The request that hands a message over. */
export function requestFor(
  message: Submission,
  settings: HttpSettings,
  receiptsUrl: string,
  now: number,
): OutboundRequest {
  const { request } = settings.template
  const values = valuesFor(message, settings, receiptsUrl, now)
  const body = bodyOf(request, values)
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': body.type }
  for (const [name, text] of request.headers) {
    headers[name.toLowerCase()] = fill(text, values, escapeForHeader)
  }
  return {
    method: request.method,
    // The carrier's address goes in as it is, and the rest is escaped.
    url: settings.url + fill(request.url.slice(1), values, escapeForUrl),
    headers,
    ...(body === undefined ? {} : { body: body.text }),
    timeoutMs: settings.timeoutMs,
    maxReplyBytes: LARGEST_REPLY,
    once: true,
  }
}

function valuesFor(message: Submission, settings: HttpSettings, receiptsUrl: string, now: number): Values {
  const { sender, recipient, content, ticket, encoding, expiresAt } = message
  const { encodings, validitySeconds } = settings.template.request
  const left = Math.floor((expiresAt - now) / 1_000)
  const seconds = Math.min(Math.max(left, validitySeconds.least), validitySeconds.most)
  const isInternational = /^\d+$/.test(sender) && sender.length >= SHORTEST_INTERNATIONAL
  return {
    url: settings.url,
    user: settings.user,
    secret: settings.secret,
    basic: Buffer.from(`${settings.user}:${settings.secret}`).toString('base64'),
    sender,
    '+sender': isInternational ? `+${sender}` : sender,
    recipient,
    '+recipient': `+${recipient}`,
    content,
    ticket,
    encoding: encodings[encoding],
    receiptsUrl,
    validitySeconds: String(seconds),
    validityMinutes: String(Math.max(1, Math.floor(seconds / 60))),
    validityMs: String(seconds * 1_000),
  }
}

function bodyOf({ body }: RequestTemplate, values: Values): { type: string; text: string } | undefined {
  if (body === undefined) return undefined
  if (body.kind === 'json') {
    return { type: 'application/json', text: JSON.stringify(jsonOf(body.value, values)) }
  }
  const form = new URLSearchParams()
  for (const [name, text] of body.fields) form.append(name, fill(text, values, asItIs))
  return { type: 'application/x-www-form-urlencoded', text: form.toString() }
}

function jsonOf(json: FilledJson, values: Values): unknown {
  switch (json.kind) {
    case 'plain':
      return json.value
    case 'text':
      return numberOf(json.text, values) ?? fill(json.text, values, asItIs)
    case 'list':
      return json.items.map((item) => jsonOf(item, values))
    case 'object':
      return Object.fromEntries(json.fields.map(([name, value]) => [name, jsonOf(value, values)]))
  }
}

const asItIs = (value: string): string => value
