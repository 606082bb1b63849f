import { toNodeHandler } from '@wigwag/sdk'
import Fastify from 'fastify'
import { handler } from './callbacks.ts'

const receive = toNodeHandler(handler)
export const server = Fastify()

// The signature covers the bytes as they came, so nothing may parse them before. That holds for these routes only.
server.register(async (callbacks) => {
  callbacks.removeAllContentTypeParsers()
  callbacks.addContentTypeParser('*', (_request, _body, done) => done(null))
  callbacks.post('/callbacks', (request, reply) => {
    reply.hijack()
    return receive(request.raw, reply.raw)
  })
})
server.get('/', async () => ({ is: 'a route with bodies parsed as ever' }))

console.log(await server.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' }))
