import type { HttpTemplate } from './template.ts'

/** How a carrier is reached over HTTP. */
export interface HttpSettings {
  kind: 'http'
  name: string
  /** Without a user name, and without a slash at the end. */
  url: string
  user: string
  secret: string
  /** Part of the address for receipts; undefined when the template reads none. */
  receiptsSecret: string | undefined
  template: HttpTemplate
  /** Requests without a reply at a time. */
  window: number
  /** Requests a second; 0 for no limit. */
  tps: number
  timeoutMs: number
  unanswered: 'hold' | 'again'
}
