/** Why the connector does not have what a scenario asks for. */
const because = {
  fixture: 'It calls a tool that only a test server has.',
  contents:
    'It calls a tool that only a test server has, for content that no tool of the connector answers with.',
  stateless:
    'It calls a tool that only a test server has, and needs a stream while the call runs: a call answers once, with JSON.',
  asking: 'It needs a server that asks its client back in the middle of a call, which takes a session.',
  logging: 'The connector sends no log messages: everything is in the result.',
  resources: 'The connector has tools only, and no resources.',
  prompts: 'The connector has tools only, and no prompts.',
  sessions:
    'It needs a session, and streams that can be resumed. Every request to the connector stands alone.',
  schema:
    'It looks for a tool that only a test server has, to see that its schema arrives as it was written.',
} as const

/** The scenarios that the connector does not pass, each with the reason. */
export const notApplicable: Readonly<Record<string, string>> = {
  'logging-set-level': because.logging,
  'completion-complete': because.prompts,
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
  'resources-list': because.resources,
  'resources-read-text': because.resources,
  'resources-read-binary': because.resources,
  'resources-templates-read': because.resources,
  'resources-subscribe': because.resources,
  'resources-unsubscribe': because.resources,
  'prompts-list': because.prompts,
  'prompts-get-simple': because.prompts,
  'prompts-get-with-args': because.prompts,
  'prompts-get-embedded-resource': because.prompts,
  'prompts-get-with-image': because.prompts,
}

/** Those that no server can pass over HTTP without sessions and streams. */
export const outOfReach: ReadonlySet<string> = new Set(
  Object.entries(notApplicable)
    .filter(([, why]) => [because.stateless, because.asking, because.sessions].some((one) => one === why))
    .map(([scenario]) => scenario),
)
