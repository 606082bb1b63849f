/** The scopes of an assistant. Many clients can't ask for more later, so they are told to ask for both. */
export const READ = 'sms:read'
export const SEND = 'sms:send'
export const SCOPES = [READ, SEND] as const

/** Whether any of the scopes is one of ours. */
export function opensSomething(scopes: ReadonlySet<string>): boolean {
  return SCOPES.some((scope) => scopes.has(scope))
}

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Whether a client id is the URL of a metadata document. The library accepts the scheme in any case. */
export function isDocument(clientId: string): boolean {
  return /^https:/i.test(clientId)
}
