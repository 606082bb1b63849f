/** The ten tools over the SDK, as both of the library's default set-ups serve them. */
import { createClient } from '@wigwag/sdk'
import { nodeTransport } from '@wigwag/sdk/node'
import * as z from 'zod'
import { createGate, toolCatalogue, toolInputs } from '../../src/index.ts'

const settings = z
  .object({
    WIGWAG_BASE_URL: z.url(),
    WIGWAG_CLIENT_ID: z.string(),
    WIGWAG_CLIENT_SECRET: z.string(),
    WIGWAG_WALLET_TOKEN: z.string(),
  })
  .parse(process.env)

const client = createClient({
  baseUrl: settings.WIGWAG_BASE_URL,
  clientId: settings.WIGWAG_CLIENT_ID,
  clientSecret: settings.WIGWAG_CLIENT_SECRET,
  walletToken: settings.WIGWAG_WALLET_TOKEN,
  fetch: nodeTransport(),
})
const context = { client, gate: createGate({ connection: 'bench' }) }
/** The fields of each tool's answer. An ordinary server would have them as Zod schemas from the start. */
const outputs = new Map(
  toolCatalogue.map(({ name, outputSchema }) => {
    const output = z.fromJSONSchema(outputSchema)
    if (!(output instanceof z.ZodObject)) throw new Error(`expected ${name} to answer with an object`)
    return [name, output.shape]
  }),
)

/** The tools as an ordinary server would write them, each with what its library registers. */
export const stockTools = toolCatalogue.map(({ name, title, description, annotations, prepare }) => ({
  name,
  config: {
    title,
    description,
    annotations,
    inputSchema: z.strictObject(toolInputs[name].shape),
    outputSchema: z.object(outputs.get(name) ?? {}),
  },
  async answer(input: Record<string, unknown>) {
    const { structured, text } = await prepare(input, context).run()
    return { structuredContent: structured, content: [{ type: 'text' as const, text }] }
  },
}))
