import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../../fixtures/gateway.ts'
import { notApplicableAt, outOfReachAt, partlyApplicable, type Revision } from './not-applicable.ts'
import { type Subject, startFixture, subjects } from './subjects.ts'
import { type Outcome, requirementsOf, runSuite } from './suite.ts'

/** The scenarios that apply to every server with tools, prompts and resources, whatever they are. */
const APPLICABLE: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'prompts-list',
    'resources-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'prompts-list',
    'resources-list',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
}
const PARTLY: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [],
  '2026-07-28': Object.keys(partlyApplicable),
}
const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28']
const cases = Object.entries(subjects).flatMap(([name, start]) =>
  REVISIONS.map((revision) => ({ name, start, revision })),
)
const passed = { verdict: 'passed', complaints: [] }

describe.each(cases)('the requirements of $revision, at $name', ({ start, revision }) => {
  const reasons = notApplicableAt[revision]
  let outcomes: Map<string, Outcome>
  let subject: Subject | undefined
  let gateway: Gateway | undefined

  beforeAll(async () => {
    gateway = await startGateway()
    subject = await start(gateway)
    outcomes = await runSuite(subject.url, requirementsOf(revision))
  })
  afterAll(async () => {
    await subject?.stop()
    await gateway?.close()
  })

  it('have no scenario that is neither passed nor explained here', () => {
    const known = [...APPLICABLE[revision], ...PARTLY[revision], ...Object.keys(reasons)]
    expect(known.sort()).toEqual([...outcomes.keys()].sort())
  })

  it.each(APPLICABLE[revision])('are met in %s', (scenario) => {
    expect(outcomes.get(scenario)).toEqual(passed)
  })

  it.each(PARTLY[revision])('are met in %s, but for the checks that do not apply', (scenario) => {
    const failed = outcomes.get(scenario)?.complaints.map((complaint) => complaint.split(':')[0])
    expect(failed).toEqual(partlyApplicable[scenario]?.checks)
  })

  it.each(Object.entries(reasons))('are not met in %s, for a reason: %s', (scenario) => {
    expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
  })
})

describe.each(REVISIONS)(
  'the requirements of %s, at a server made for them, over the same HTTP code',
  (revision) => {
    const outOfReach = outOfReachAt(revision)
    const withinReach = Object.keys(notApplicableAt[revision]).filter((scenario) => !outOfReach.has(scenario))
    let outcomes: Map<string, Outcome>
    let fixture: Subject | undefined

    beforeAll(async () => {
      fixture = await startFixture()
      outcomes = await runSuite(fixture.url, requirementsOf(revision))
    })
    afterAll(() => fixture?.stop())

    it.each([...APPLICABLE[revision], ...PARTLY[revision], ...withinReach])('are met in %s', (scenario) => {
      expect(outcomes.get(scenario)).toEqual(passed)
    })

    it.each([...outOfReach])('are out of reach in %s', (scenario) => {
      expect(outcomes.get(scenario)?.verdict).toMatch(/^(failed|checked nothing)$/)
    })
  },
)
