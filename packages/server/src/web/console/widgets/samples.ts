import type { Principal } from '../../../kernel/principal.ts'
import { curlOf, SETTING_VARIABLES, shellText, withoutControls } from '../../../kernel/text/shell.ts'
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
  if (demo?.accountId !== accountId) return { ...SETTING_VARIABLES, baseUrl }
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
  const { from, to, text, key } = message
  return curlOf({
    method: 'POST',
    url: `${account.baseUrl}/v1/messages/sms`,
    credentials: account,
    headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
    body: withoutControls(JSON.stringify({ From: from, To: to, Content: text })),
  })
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
    `--content ${shellText(text)}`,
    ...(key === undefined ? [] : [`--idempotency-key ${shellText(key)}`]),
    '--wait',
  ]
  return [...exports, send.join(' ')].join('\n')
}

function fields(values: Record<string, string>, indent: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${indent}${name}: ${scriptText(value)},`)
    .join('\n')
}

const CONTROL = /\p{Cc}/gu

/** A text as a string of JavaScript. */
function scriptText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16)}`)}'`
}
