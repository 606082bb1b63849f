/** The baseline for the gateway: a bare Hono app that parses a JSON body and answers it. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono().post('/v1/messages/sms', async (c) => c.json(await c.req.json()))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stderr.write(`listening on http://127.0.0.1:${port}\n`)
})
