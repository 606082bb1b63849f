import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../src/net/server/listen.ts'

const AN_HOUR_MS = 3_600_000

it('a stop waits for the requests in progress, and for no connection over which nothing was asked', async () => {
  const { promise: answer, resolve: goOn } = Promise.withResolvers<Response>()
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const app = {
    fetch() {
      isAsked()
      return answer
    },
  }
  const listener = await listen({ app, host: '127.0.0.1', port: 0, requestId: () => 'an id' })
  const { hostname, port } = new URL(listener.url)
  const unused = connect(Number(port), hostname)
  onTestFinished(() => void unused.destroy())
  await once(unused, 'connect')
  const asking = fetch(listener.url)
  await asked
  const cut = once(unused, 'close')
  const stopping = listener.close(AN_HOUR_MS)
  await cut
  goOn(new Response('here'))
  expect(await (await asking).text()).toBe('here')
  await stopping
})
