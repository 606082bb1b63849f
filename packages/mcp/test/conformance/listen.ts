import { serve } from '@hono/node-server'

export interface Listener {
  port: number
  close(): Promise<void>
}

/** Serves a handler over real HTTP, on a free port of this machine alone. */
export function listen(fetch: (request: Request) => Promise<Response>): Promise<Listener> {
  return new Promise((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      resolve({ port, close: () => new Promise((done) => server.close(() => done())) })
    })
  })
}
