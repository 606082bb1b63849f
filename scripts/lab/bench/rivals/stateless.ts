/**
 * A gateway as stripe-mock is one for its document: it checks each request by our validators, answers the document's
 * example, and keeps nothing.
 */
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { operations } from '@wigwag/contract/operations'
import { Hono } from 'hono'
import type * as z from 'zod'
import { type Operation, readDocument, routesOf } from '../../../generate/document.ts'

interface Row {
  method: string
  path: string
  body?: z.ZodType
}

/** The first example of an answer 200, as it is sent. */
function exampleOf({ operationId, responses }: Operation): string {
  const answer = responses[200]
  if (!answer || !('content' in answer)) throw new Error(`expected ${operationId} to document its 200`)
  const [example] = Object.values(answer.content['application/json'].examples)
  return JSON.stringify(example?.value)
}

const document = await readDocument(join(import.meta.dirname, '../../../../openapi.yaml'))
const examples = new Map(
  routesOf(document).map(({ operation }) => [operation.operationId, exampleOf(operation)]),
)
const app = new Hono()
for (const [id, { method, path, body }] of Object.entries<Row>(operations)) {
  app.on(method, path, async (c) => {
    if (!c.req.header('authorization')) return c.json({ code: 'unauthorized' }, 401)
    const checked = body?.safeParse(await c.req.json())
    if (checked?.error) return c.json({ code: 'invalid_request', issues: checked.error.issues }, 422)
    return c.body(examples.get(id) ?? '', 200, { 'content-type': 'application/json' })
  })
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stderr.write(`listening on http://127.0.0.1:${port}\n`)
})
