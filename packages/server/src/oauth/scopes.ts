/** What an assistant can be allowed. Many clients can't ask for more later, so they are told to ask for both. */
export const READ = 'sms:read'
export const SEND = 'sms:send'
export const SCOPES = [READ, SEND] as const

/** Whether scopes are of any use here. */
export function opensSomething(scopes: ReadonlySet<string>): boolean {
  return SCOPES.some((scope) => scopes.has(scope))
}

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
