import { createClient } from '@wigwag/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpDoor } from '../../src/http.ts'
import { createGate, createHttpHandler, type Identity } from '../../src/index.ts'
import { startConnector } from '../inspector/connector-process.ts'
import { type OpenGateway, openGateway } from '../inspector/open-gateway.ts'
import { serveFixture } from './fixture.ts'
import { type Listener, listen } from './listen.ts'
import { notApplicable, outOfReach } from './not-applicable.ts'
import { listScenarios, type Outcome, runSuite } from './suite.ts'

/** What the suite asks of every server, whatever its tools are. */
const APPLICABLE = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

const ALLOWED = { allowedHosts: ['127.0.0.1', 'localhost'] }

interface Subject {
  url: string
  stop(): Promise<void>
}

/** The two ways in which the connector is reached over HTTP, both in front of a whole gateway. */
const subjects: Record<string, (gateway: OpenGateway) => Promise<Subject>> = {
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
  let gateway: OpenGateway | undefined

  beforeAll(async () => {
    gateway = await openGateway()
    subject = await start(gateway)
    scenarios = await listScenarios()
    outcomes = await runSuite(subject.url)
  })
  afterAll(async () => {
    await subject?.stop()
    await gateway?.close()
  })

  it('has no scenario that nobody has thought about', () => {
    expect([...APPLICABLE, ...Object.keys(notApplicable)].sort()).toEqual([...scenarios].sort())
    expect([...outcomes.keys()].sort()).toEqual([...scenarios].sort())
  })

  it.each(APPLICABLE)('passes %s', (scenario) => {
    expect(outcomes.get(scenario)).toEqual({ verdict: 'passed', complaints: [] })
  })

  it.each(Object.entries(notApplicable))('still has its reason not to pass %s: %s', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})

describe('the official conformance suite against a server made for it, on the same HTTP', () => {
  let outcomes: Map<string, Outcome>
  let door: Listener | undefined

  beforeAll(async () => {
    door = await listen(createHttpDoor(ALLOWED, async () => serveFixture))
    outcomes = await runSuite(`http://127.0.0.1:${door.port}/mcp`)
  })
  afterAll(() => door?.close())

  it.each([...APPLICABLE, ...Object.keys(notApplicable).filter((scenario) => !outOfReach.has(scenario))])(
    'passes %s',
    (scenario) => expect(outcomes.get(scenario)).toEqual({ verdict: 'passed', complaints: [] }),
  )

  it.each([...outOfReach])('cannot pass %s without a session or a stream', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})
