import { createClient } from '@wigwag/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../../server/src/testing/index.ts'
import { createGate, createHttpHandler, type Identity } from '../../src/index.ts'
import { type Listener, listen } from './listen.ts'
import { notApplicable } from './not-applicable.ts'
import { listScenarios, type Outcome, runSuite } from './suite.ts'

/** What the suite asks of every server, whatever its tools are. */
const APPLICABLE = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

let sandbox: Sandbox
let connector: Listener
let scenarios: string[]
let outcomes: Map<string, Outcome>

beforeAll(async () => {
  sandbox = await createSandbox()
  const identity: Identity = {
    connection: 'conformance',
    client: createClient({ baseUrl: 'http://sandbox.invalid', ...sandbox.credentials, fetch: sandbox.fetch }),
    gate: createGate({ connection: 'conformance' }),
    canSend: true,
  }
  const allowedHosts = ['127.0.0.1', 'localhost']
  connector = await listen(createHttpHandler({ identify: async () => identity, allowedHosts }))
  scenarios = await listScenarios()
  outcomes = await runSuite(`http://127.0.0.1:${connector.port}/mcp`)
})
afterAll(async () => {
  await connector.close()
  await sandbox.close()
})

describe('the official conformance suite', () => {
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
