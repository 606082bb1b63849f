import type { Principal } from '../../../kernel/principal.ts'
import type { Sandbox } from '../../../sandbox/index.ts'
import type { Person } from '../../../sign-in/portal/index.ts'
import type { ConsoleParts } from '../parts.ts'

/** The address and keys in samples of code. A secret that may not be shown is a shell variable. */
export interface SampleAccount {
  baseUrl: string
  clientId: string
  clientSecret: string
  walletToken: string
  callbackSecret: string
}

/** The message that a sample sends, with its idempotency key if it has one. */
interface SampleMessage {
  from: string
  to: string
  text: string
  key?: string | undefined
}

const VARIABLES = {
  clientId: '$WIGWAG_CLIENT_ID',
  clientSecret: '$WIGWAG_CLIENT_SECRET',
  walletToken: '$WIGWAG_WALLET_TOKEN',
  callbackSecret: '$WIGWAG_CALLBACK_SECRET',
}
const VARIABLE = /^\$WIGWAG_[A-Z_]+$/

/** Only the demo account of a sandbox has its secrets shown. Of others, all but the callback secret are stored as digests. */
export async function sampleAccount(
  { accountId }: Pick<Person, 'accountId'>,
  {
    publicUrl,
    sandbox,
  }: Pick<ConsoleParts, 'publicUrl'> & { sandbox: Pick<Sandbox, 'demoSecrets'> | undefined },
): Promise<SampleAccount> {
  const baseUrl = publicUrl().replace(/\/+$/, '')
  const demo = await sandbox?.demoSecrets()
  if (demo?.accountId !== accountId) return { baseUrl, ...VARIABLES }
  const { clientId, clientSecret, walletToken, callbackSecret } = demo
  return { baseUrl, clientId, clientSecret, walletToken, callbackSecret }
}

/** Whether a sample can be pasted as it is, without setting variables first. */
export function isComplete({ clientSecret }: SampleAccount): boolean {
  return !VARIABLE.test(clientSecret)
}

/** A sender ID that the account may send from, if it has one. */
export function approvedSender({ senders }: Pick<Principal, 'senders'>): string | undefined {
  return [...senders].find(([, status]) => status === 'approved')?.[0]
}

/** Sends a message with curl. */
export function curlSample(account: SampleAccount, message: SampleMessage): string {
  const { baseUrl, clientId, clientSecret, walletToken } = account
  const { from, to, text, key } = message
  // Other control characters than those that JSON escapes could end a paste into a terminal as well.
  const body = JSON.stringify({ From: from, To: to, Content: text }).replace(/\p{Cc}/gu, jsonEscape)
  return [
    `curl ${shellText(`${baseUrl}/v1/messages/sms`)}`,
    `-u ${inShell(`${clientId}:${clientSecret}`)}`,
    `-H ${inShell(`X-Wallet: Token ${walletToken}`)}`,
    "-H 'Content-Type: application/json'",
    ...(key === undefined ? [] : [`-H ${shellText(`Idempotency-Key: ${key}`)}`]),
    `-d ${shellText(body)}`,
  ].join(' \\\n  ')
}

/** Sends a message with the TypeScript client. */
export function typescriptSample(account: SampleAccount, message: SampleMessage): string {
  const { baseUrl, clientId, clientSecret, walletToken } = account
  const { from, to, text, key } = message
  // Without credentials, the client reads them from the environment.
  const credentials = isComplete(account) ? { clientId, clientSecret, walletToken } : {}
  return `
// Until the first release, the packages come from a clone (https://github.com/wigwag/wigwag/blob/main/docs/from-a-clone.md).
import { createClient } from '@wigwag/sdk'

const sms = createClient({
${fields({ baseUrl, ...credentials }, '  ')}
})

const { Ticket } = await sms.sendSms(${key === undefined ? '{' : '\n  {'}
${fields({ From: from, To: to, Content: text }, key === undefined ? '  ' : '    ')}
${key === undefined ? '})' : `  },\n  { idempotencyKey: ${scriptText(key)} },\n)`}
console.log(Ticket)`.trimStart()
}

/** Sends a message with the command line, inside the gateway's checkout. */
export function commandLineSample(account: SampleAccount, message: SampleMessage): string {
  const { baseUrl, clientId, clientSecret, walletToken } = account
  const { from, to, text, key } = message
  const settings = {
    WIGWAG_BASE_URL: baseUrl,
    WIGWAG_CLIENT_ID: clientId,
    WIGWAG_CLIENT_SECRET: clientSecret,
    WIGWAG_WALLET_TOKEN: walletToken,
  }
  const exports = Object.entries(settings)
    .filter(([, value]) => !VARIABLE.test(value))
    .map(([name, value]) => `export ${name}=${shellText(value)}`)
  const send = [
    `npx wigwag send --from ${shellText(from)}`,
    `--to ${shellText(to)}`,
    `--text ${shellText(text)}`,
    ...(key === undefined ? [] : [`--idempotency-key ${shellText(key)}`]),
    '--wait',
  ]
  return [...exports, send.join(' ')].join('\n')
}

/** Double quotes where the shell is to put a variable in. */
function inShell(value: string): string {
  return value.includes('$WIGWAG_') ? `"${value}"` : shellText(value)
}

function fields(values: Record<string, string>, indent: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${indent}${name}: ${scriptText(value)},`)
    .join('\n')
}

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const PLAIN = /^[\w.:/@%+=,-]+$/
const CONTROL = /\p{Cc}/gu

/**
 * A text as one word of a shell. One with control characters is written with escapes, because some of them would end a
 * paste into a terminal, and what follows would be run.
 */
export function shellText(text: string): string {
  if (PLAIN.test(text)) return text
  if (text.search(CONTROL) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text.replace(/[\\']/g, '\\$&').replace(CONTROL, octal)
  return `$'${escaped}'`
}

/** A text as a string of JavaScript. */
function scriptText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16)}`)}'`
}

/** The bytes of a character. Octal escapes end after three digits, whatever comes next. */
function octal(character: string): string {
  if (character === '\n') return '\\n'
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')
}
