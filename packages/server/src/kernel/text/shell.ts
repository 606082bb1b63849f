/** Commands to paste into a shell. */

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

/** The bytes of a character. Octal escapes end after three digits, whatever comes next. */
function octal(character: string): string {
  if (character === '\n') return '\\n'
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')
}

/** The settings of commands, for a shell to put in. */
export const SETTING_VARIABLES = {
  baseUrl: '$WIGWAG_BASE_URL',
  clientId: '$WIGWAG_CLIENT_ID',
  clientSecret: '$WIGWAG_CLIENT_SECRET',
  walletToken: '$WIGWAG_WALLET_TOKEN',
  callbackSecret: '$WIGWAG_CALLBACK_SECRET',
} as const

/** A request to the gateway. Its address and credentials may be {@link SETTING_VARIABLES}. */
export interface CurlRequest {
  method: string
  url: string
  credentials: {
    clientId: string
    clientSecret: string
    /** Undefined for operations that take none. */
    walletToken?: string | undefined
  }
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
}

/** A request as a curl command, a line for each option. */
export function curlOf({ method, url, credentials, headers = {}, body }: CurlRequest): string {
  const { clientId, clientSecret, walletToken } = credentials
  const isUsual = method === (body === undefined ? 'GET' : 'POST')
  return [
    `curl ${inShell(url)}`,
    ...(isUsual ? [] : [`-X ${method}`]),
    `-u ${inShell(`${clientId}:${clientSecret}`)}`,
    ...(walletToken === undefined ? [] : [`-H ${inShell(`X-Wallet: Token ${walletToken}`)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellText(body)}`]),
  ].join(' \\\n  ')
}

/** Double quotes where the shell is to put a variable in. */
function inShell(value: string): string {
  return value.includes('$WIGWAG_') ? `"${value}"` : shellText(value)
}

/** JSON without the control characters that it does not escape by itself: they could end a paste into a terminal. */
export function withoutControls(json: string): string {
  return json.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
