import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../../fixtures/gateway.ts'
import { notApplicable, outOfReach } from './not-applicable.ts'
import { type Subject, startFixture, subjects } from './subjects.ts'
import { FIRST, listScenarios, type Outcome, runSuite } from './suite.ts'

/** The scenarios that apply to every server with tools, prompts and resources, whatever they are. */
const APPLICABLE = [
  'server-initialize',
  'ping',
  'tools-list',
  'prompts-list',
  'resources-list',
  'dns-rebinding-protection',
]

describe.each(Object.entries(subjects))('the official conformance suite against %s', (_, start) => {
  let scenarios: string[]
  let outcomes: Map<string, Outcome>
  let subject: Subject | undefined
  let gateway: Gateway | undefined

  beforeAll(async () => {
    gateway = await startGateway()
    subject = await start(gateway)
    scenarios = await listScenarios(FIRST)
    outcomes = await runSuite(subject.url, FIRST)
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
  let fixture: Subject | undefined

  beforeAll(async () => {
    fixture = await startFixture()
    outcomes = await runSuite(fixture.url, FIRST)
  })
  afterAll(() => fixture?.stop())

  it.each([...APPLICABLE, ...Object.keys(notApplicable).filter((scenario) => !outOfReach.has(scenario))])(
    'passes %s',
    (scenario) => expect(outcomes.get(scenario)).toEqual({ verdict: 'passed', complaints: [] }),
  )

  it.each([...outOfReach])('cannot pass %s without a session or a stream', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})
