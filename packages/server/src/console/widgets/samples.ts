import type { Person } from '../../portal/index.ts'
import type { ConsoleParts, SandboxParts } from '../parts.ts'
import { scriptText, shellText } from './quoting.ts'

/** What samples of code call the gateway with. A secret that may not be shown is the name of a shell variable. */
export interface SampleAccount {
  baseUrl: string
  clientId: string
  clientSecret: string
  walletToken: string
  callbackSecret: string
}

/** The message that a sample sends, with its idempotency key if it has one. */
export interface SampleMessage {
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

export interface SampleParts extends Pick<ConsoleParts, 'publicUrl'> {
  sandbox: Pick<SandboxParts, 'demoSecrets'> | undefined
}

/** Only the demo account of a sandbox has its secrets shown; no other account's are stored. */
export async function sampleAccount(
  { accountId }: Pick<Person, 'accountId'>,
  { publicUrl, sandbox }: SampleParts,
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
  // Those that may not be shown are read from the environment by the client itself.
  const credentials = isComplete(account) ? { clientId, clientSecret, walletToken } : {}
  return `
// Until the first release, run \`npm run pack\` in a clone, then \`npm install ../wigwag/packed/*.tgz\` in your project.
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
    `npm run wigwag -- send --from ${shellText(from)}`,
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
