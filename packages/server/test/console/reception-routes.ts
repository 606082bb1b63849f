/** Routes from before anybody is in, or about a session and not an account. */
export const RECEPTION =
  /^(GET|POST) \/($|sign-in|sign-out|second|prove|accounts|invited|join|passkey|open$|assets|oauth|\.well-known|mcp|docs|openapi|llms|livez|readyz|metrics|v1|sandbox\/(receipts|controls)|carriers)/
