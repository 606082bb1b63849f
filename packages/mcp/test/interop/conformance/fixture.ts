/** What the suite's scenarios expect of a server made for them: tools, resources and prompts that the connector lacks. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  type GetPromptResult,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'

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
}

const tools = [
  ...Object.keys(results).map((name) => ({
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
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
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
}

const resources = ['test://static-text', 'test://static-binary', 'test://watched-resource']

function read(uri: string) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1]
  return id === undefined
    ? { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
    : { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }
}

/** Serves one message, as the connector does. */
export async function serveFixture(transport: Transport): Promise<void> {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(
    CallToolRequestSchema,
    ({ params }) => results[params.name] ?? unknown(params.name),
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map((uri) => ({ uri, name: uri, description: 'A resource of a test.' })),
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [read(params.uri)] }))
  server.setRequestHandler(SubscribeRequestSchema, () => ({}))
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: 'A prompt of a test.' })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: (prompts[params.name]?.(params.arguments ?? {}) ?? unknown(params.name)).map((content) => ({
      role: 'user' as const,
      content,
    })),
  }))
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: ['paris', 'park'] } }))
  server.setRequestHandler(SetLevelRequestSchema, () => ({}))
  await server.connect(transport)
}

function unknown(name: string): never {
  throw new Error(`expected something of the fixture, got ${name}`)
}
