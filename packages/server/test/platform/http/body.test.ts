import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, it, onTestFinished } from 'vitest'
import { readBody } from '../../../src/net/server/body.ts'
import { eventually } from '../../support/eventually.ts'

it('a body whose client left before anyone read it is refused, and not waited for', async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { promise: read, resolve: readOn } = Promise.withResolvers<unknown>()
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.post('/', async (c) => {
    arrive()
    await eventually('the client is gone', () => c.env.incoming.destroyed)
    await readBody(c, 1_000).then(readOn, readOn)
    return c.text('')
  })
  const server = createServer(getRequestListener(app.fetch, { autoCleanupIncoming: false })).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('expected a port')
  const client = connect(address.port)
  client.write('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nhalf')
  await arrived
  client.destroy()
  expect(await read).toMatchObject({ code: 'invalid_json', message: 'The body ended early.' })
})
