/**
 * The server that the suite's scenarios expect, with tools, resources and prompts that the connector lacks.
 */
import {
  type CallToolResult,
  type GetPromptResult,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { supportedProtocolVersions } from '../../../src/protocol/index.ts'
import { askingTools, questionOf, requestState } from './fixture-questions.ts'

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A header and no sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})

const results: Record<string, CallToolResult> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  },
  test_logging_tool: { content: [text('The server has no log to send.')] },
}
const answered: CallToolResult = { content: [text('All questions are answered: state-ok.')] }

const tools = [
  ...[...Object.keys(results), ...askingTools].map((name) => ({
    name,
    description: 'A tool of a test.',
    inputSchema: { type: 'object' as const },
  })),
  {
    name: 'json_schema_2020_12_tool',
    description: 'A tool of a test.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object' as const,
      $defs: {
        address: {
          $anchor: 'address',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
      if: { required: ['address'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ['name'] },
      else: {},
      additionalProperties: false,
    },
  },
]

const prompts: Record<
  string,
  (values: Record<string, string>) => GetPromptResult['messages'][number]['content'][]
> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
  test_input_required_result_prompt: () => [text('The question is answered.')],
}

const resources = ['test://static-text', 'test://static-binary', 'test://watched-resource']

function read(uri: string) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1]
  if (id !== undefined)
    return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }
  if (!resources.includes(uri)) throw new ResourceNotFoundError(uri)
  return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
}

/**
 * A server for one message, of any revision, as the connector makes it. Subscriptions of 2025-11-25 need no stream; those
 * of 2026-07-28, whose clients discover them, do.
 */
export function openFixture({ method }: { method: string }): Server {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: method !== 'server/discover' },
        prompts: {},
        completions: {},
        logging: {},
      },
      supportedProtocolVersions,
      requestState,
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params: { name } }, context) => {
    if (!askingTools.includes(name)) return results[name] ?? unknown(name)
    return (await questionOf(name, context)) ?? answered
  })
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map((uri) => ({ uri, name: uri, description: 'A resource of a test.' })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [read(params.uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: 'A prompt of a test.' })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const parts = prompts[params.name]?.(params.arguments ?? {}) ?? unknown(params.name)
    const messages = parts.map((content) => ({ role: 'user' as const, content }))
    return (await questionOf(params.name, context)) ?? { messages }
  })
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'] } }))
  server.setRequestHandler('logging/setLevel', () => ({}))
  return server
}

function unknown(name: string): never {
  throw new Error(`expected something of the fixture, got ${name}`)
}
