/** How long what is finished is kept, in milliseconds; undefined for ever. */
export interface Retention {
  messagesMs: number | undefined
  callbacksMs: number | undefined
  auditMs: number | undefined
}
