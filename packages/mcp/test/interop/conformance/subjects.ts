import { createClient } from '@wigwag/sdk'
import { createAsking, createGate, createHttpHandler, type Identity } from '../../../src/index.ts'
import { createMessageHandler } from '../../../src/transports/http-handler.ts'
import type { Gateway } from '../../fixtures/gateway.ts'
import { listen } from '../../fixtures/listen.ts'
import { startConnector } from '../../fixtures/program.ts'
import { openFixture } from './fixture.ts'

const ALLOWED = { allowedHosts: ['127.0.0.1', 'localhost'] }

export interface Subject {
  url: string
  stop(): Promise<void>
}

/** The two ways to serve the connector over HTTP, both with a whole gateway. */
export const subjects: Record<string, (gateway: Gateway) => Promise<Subject>> = {
  'the handler that an application mounts': async ({ sandbox }) => {
    const { credentials, fetch } = sandbox
    const identity: Identity = {
      connection: 'conformance',
      client: createClient({ baseUrl: 'http://sandbox.invalid', ...credentials, fetch }),
      gate: createGate({ connection: 'conformance' }),
      canSend: true,
      asking: createAsking({ connection: 'conformance', key: 'secret' }),
    }
    const { port, close } = await listen(createHttpHandler({ identify: async () => identity, ...ALLOWED }))
    return { url: `http://127.0.0.1:${port}/mcp`, stop: close }
  },
  'the program with --http': ({ env }) => startConnector(env),
}

/** A server made for the suite, over the same HTTP code. */
export async function startFixture(): Promise<Subject> {
  const { port, close } = await listen(createMessageHandler(ALLOWED, async () => openFixture))
  return { url: `http://127.0.0.1:${port}/mcp`, stop: close }
}
