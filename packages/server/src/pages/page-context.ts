import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** The context of a page: Node's own request beside the web one, when there is a socket. */
export type PageContext = Context<{ Bindings: Partial<HttpBindings> }>
