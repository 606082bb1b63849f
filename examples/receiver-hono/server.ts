import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { handler } from './callbacks.ts'

const app = new Hono()
// The signature covers the bytes as they came. A middleware before this route must not read the body.
app.post('/callbacks', (context) => handler(context.req.raw))

const port = Number(process.env.PORT ?? 3000)
export const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`)
})
