import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolCatalogue } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { extensions } from '../../src/tools/explain.ts'
import { openConnector } from '../fixtures/connector.ts'

const READS = [
  'get_balance',
  'list_sender_ids',
  'get_message_status',
  'search_messages',
  'get_rates',
  'delivery_insights',
  'estimate_cost',
]
const WRITES = ['send_sms', 'schedule_sms', 'cancel_scheduled']

describe('the catalogue', () => {
  it('is listed as it was agreed: names, descriptions, schemas and annotations', async () => {
    const { mcp } = await openConnector()
    const { tools } = await mcp.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...READS, ...WRITES])
    await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('catalogue.snapshot')
  })

  it('accepts no unknown argument, so that a misspelt one is refused', () => {
    for (const { name, inputSchema } of toolCatalogue) {
      expect(inputSchema.additionalProperties, name).toBe(false)
    }
  })

  it('distinguishes reads, sends and cancellations by their annotations', () => {
    const hints = Object.fromEntries(toolCatalogue.map(({ name, annotations }) => [name, annotations]))
    for (const name of READS) {
      expect(hints[name], name).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
      })
    }
    for (const name of ['send_sms', 'schedule_sms']) {
      expect(hints[name], name).toEqual({
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      })
    }
    expect(hints.cancel_scheduled).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
  })

  it('names every operation beyond the specification as openapi.yaml does', () => {
    const { paths } = parse(readFileSync(join(import.meta.dirname, '../../../../openapi.yaml'), 'utf8'))
    const places = new Map<string, string>()
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation['x-extension']) places.set(operation.operationId, `${method.toUpperCase()} ${path}`)
      }
    }
    const needed = toolCatalogue.flatMap(({ operations }) => operations.filter((id) => places.has(id)))
    expect(extensions).toEqual(Object.fromEntries(needed.map((id) => [id, places.get(id)])))
  })
})

interface Operation {
  operationId: string
  'x-extension'?: boolean
}
