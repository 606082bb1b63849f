import { createClient } from '@wigwag/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGate, createHttpHandler, type Identity } from '../../../src/index.ts'
import { createMessageHandler } from '../../../src/transports/http-handler.ts'
import { type Gateway, startGateway } from '../../fixtures/gateway.ts'
import { type Listener, listen } from '../../fixtures/listen.ts'
import { startConnector } from '../../fixtures/program.ts'
import { serveFixture } from './fixture.ts'
import { notApplicable, outOfReach } from './not-applicable.ts'
import { listScenarios, type Outcome, runSuite } from './suite.ts'

/** The scenarios that apply to every server, whatever its tools are. */
const APPLICABLE = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

const ALLOWED = { allowedHosts: ['127.0.0.1', 'localhost'] }

interface Subject {
  url: string
  stop(): Promise<void>
}

/** The two ways to serve the connector over HTTP, both with a whole gateway. */
const subjects: Record<string, (gateway: Gateway) => Promise<Subject>> = {
  'the handler that an application mounts': async ({ sandbox }) => {
    const { credentials, fetch } = sandbox
    const identity: Identity = {
      connection: 'conformance',
      client: createClient({ baseUrl: 'http://sandbox.invalid', ...credentials, fetch }),
      gate: createGate({ connection: 'conformance' }),
      canSend: true,
    }
    const { port, close } = await listen(createHttpHandler({ identify: async () => identity, ...ALLOWED }))
    return { url: `http://127.0.0.1:${port}/mcp`, stop: close }
  },
  'the program with --http': ({ env }) => startConnector(env),
}

describe.each(Object.entries(subjects))('the official conformance suite against %s', (_, start) => {
  let scenarios: string[]
  let outcomes: Map<string, Outcome>
  let subject: Subject | undefined
  let gateway: Gateway | undefined

  beforeAll(async () => {
    gateway = await startGateway()
    subject = await start(gateway)
    scenarios = await listScenarios()
    outcomes = await runSuite(subject.url)
  })
  afterAll(async () => {
    await subject?.stop()
    await gateway?.close()
  })

  it('has no scenario that is neither passed nor explained here', () => {
    expect([...APPLICABLE, ...Object.keys(notApplicable)].sort()).toEqual([...scenarios].sort())
    expect([...outcomes.keys()].sort()).toEqual([...scenarios].sort())
  })

  it.each(APPLICABLE)('passes %s', (scenario) => {
    expect(outcomes.get(scenario)).toEqual({ verdict: 'passed', complaints: [] })
  })

  it.each(Object.entries(notApplicable))('does not pass %s, for a reason: %s', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})

describe('the official conformance suite against a server made for it, over the same HTTP code', () => {
  let outcomes: Map<string, Outcome>
  let server: Listener | undefined

  beforeAll(async () => {
    server = await listen(createMessageHandler(ALLOWED, async () => serveFixture))
    outcomes = await runSuite(`http://127.0.0.1:${server.port}/mcp`)
  })
  afterAll(() => server?.close())

  it.each([...APPLICABLE, ...Object.keys(notApplicable).filter((scenario) => !outOfReach.has(scenario))])(
    'passes %s',
    (scenario) => expect(outcomes.get(scenario)).toEqual({ verdict: 'passed', complaints: [] }),
  )

  it.each([...outOfReach])('cannot pass %s without a session or a stream', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})
