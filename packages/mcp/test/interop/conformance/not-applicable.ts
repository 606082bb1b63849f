/** Why the connector does not have what a scenario asks for. */
const because = {
  extension: 'It is of an extension of the protocol that the connector does not offer: tasks.',
  parameters: 'It calls a tool with parameters in headers, which only a test server has.',
  questions: 'It calls a tool or prompt that asks the person back, which only a test server has.',
  fixture: 'It calls a tool that only a test server has.',
  contents:
    'It calls a tool that only a test server has, for content that no tool of the connector answers with.',
  stateless:
    'It calls a tool that only a test server has, and needs a stream while the call runs: a call answers once, with JSON.',
  asking: 'It needs a server that asks its client back in the middle of a call, which takes a session.',
  logging: 'The connector sends no log messages: everything is in the result.',
  resource: 'It reads a resource that only a test server has.',
  prompt: 'It gets a prompt that only a test server has.',
  subscription: 'The connector has nothing to tell a subscriber of a resource: it takes no subscription.',
  completion: 'The connector completes no arguments: numbers and tickets are not for guessing.',
  sessions:
    'It needs a session, and streams that can be resumed. Every request to the connector stands alone.',
  schema:
    'It looks for a tool that only a test server has, to see that its schema arrives as it was written.',
} as const

/** The scenarios that the connector does not pass, each with the reason. */
export const notApplicable: Readonly<Record<string, string>> = {
  'logging-set-level': because.logging,
  'completion-complete': because.completion,
  'tools-call-simple-text': because.fixture,
  'tools-call-image': because.contents,
  'tools-call-audio': because.contents,
  'tools-call-embedded-resource': because.contents,
  'tools-call-mixed-content': because.contents,
  'tools-call-with-logging': because.stateless,
  'tools-call-error': because.fixture,
  'tools-call-with-progress': because.stateless,
  'tools-call-sampling': because.asking,
  'tools-call-elicitation': because.asking,
  'json-schema-2020-12': because.schema,
  'elicitation-sep1034-defaults': because.asking,
  'elicitation-sep1330-enums': because.asking,
  'server-sse-polling': because.sessions,
  'server-sse-multiple-streams': because.sessions,
  'resources-read-text': because.resource,
  'resources-read-binary': because.resource,
  'resources-templates-read': because.resource,
  'resources-subscribe': because.subscription,
  'resources-unsubscribe': because.subscription,
  'prompts-get-simple': because.prompt,
  'prompts-get-with-args': because.prompt,
  'prompts-get-embedded-resource': because.prompt,
  'prompts-get-with-image': because.prompt,
}

/** Scenarios that no server can pass over HTTP without sessions and streams. */
export const outOfReach: ReadonlySet<string> = new Set(
  Object.entries(notApplicable)
    .filter(([, why]) => [because.stateless, because.asking, because.sessions].some((one) => one === why))
    .map(([scenario]) => scenario),
)

/** The revisions for which the second line of the suite says what they require. */
export type Revision = '2026-07-28' | '2025-11-25'

/** The scenarios of the second line that the connector does not pass, each with the reason. */
export const notApplicableAt: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2025-11-25': { ...notApplicable, 'server-session-lifecycle': because.sessions },
  '2026-07-28': {
    'completion-complete': because.completion,
    'tools-call-simple-text': because.fixture,
    'tools-call-image': because.contents,
    'tools-call-audio': because.contents,
    'tools-call-embedded-resource': because.contents,
    'tools-call-mixed-content': because.contents,
    'tools-call-error': because.fixture,
    'tools-call-with-progress': because.stateless,
    'json-schema-2020-12': because.schema,
    'resources-read-text': because.resource,
    'resources-read-binary': because.resource,
    'resources-templates-read': because.resource,
    'prompts-get-simple': because.prompt,
    'prompts-get-with-args': because.prompt,
    'prompts-get-embedded-resource': because.prompt,
    'prompts-get-with-image': because.prompt,
    'input-required-result-basic-elicitation': because.questions,
    'input-required-result-basic-sampling': because.questions,
    'input-required-result-basic-list-roots': because.questions,
    'input-required-result-request-state': because.questions,
    'input-required-result-multiple-input-requests': because.questions,
    'input-required-result-multi-round': because.questions,
    'input-required-result-non-tool-request': because.questions,
    'input-required-result-result-type': because.questions,
    'input-required-result-tampered-state': because.questions,
    'input-required-result-capability-check': because.questions,
    'http-custom-header-server-validation': because.parameters,
    'tasks-lifecycle': because.extension,
    'tasks-capability-negotiation': because.extension,
    'tasks-wire-fields': because.extension,
    'tasks-request-state-removal': because.extension,
    'tasks-mrtr-input': because.extension,
    'tasks-request-headers': because.extension,
    'tasks-dispatch-and-envelope': because.extension,
    'tasks-status-notifications': because.extension,
    'tasks-required-task-error': because.extension,
    'tasks-mrtr-composition': because.extension,
  },
}

/** Scenarios of 2026-07-28 of which single checks do not apply. All others must pass. */
export const partlyApplicable: Readonly<Record<string, { checks: readonly string[]; why: string }>> = {
  'server-stateless': {
    checks: [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
    why: because.fixture,
  },
}

/** Reasons why no server of ours can pass, at either revision. */
const beyond: readonly string[] = [
  because.stateless,
  because.asking,
  because.sessions,
  because.extension,
  because.parameters,
]
export const outOfReachAt = (revision: Revision): ReadonlySet<string> =>
  new Set(
    Object.entries(notApplicableAt[revision]).flatMap(([name, why]) => (beyond.includes(why) ? [name] : [])),
  )
