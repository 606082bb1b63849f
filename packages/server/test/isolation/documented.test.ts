import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@wigwag/contract/operations'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../scripts/generate/document.ts'
import { OPERATIONS } from './requests.ts'

/**
 * Statuses that `refusals.test.ts` tests for every operation, and for all with a body. `routes/sends` tests
 * more.
 */
const COMMON = ['401', '403', '429', '500', '503']
const OF_BODIES = ['400', '408', '413', '415']

const document = await readDocument(join(import.meta.dirname, '../../../../openapi.yaml'))
const routes = join(import.meta.dirname, '../routes')
const folderOf = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function statusesOf(id: string): string[] {
  const entries = Object.values(document.paths).flatMap((path) => Object.values<object>(path))
  const found = entries.find((entry) => 'operationId' in entry && entry.operationId === id)
  const responses: unknown = found && 'responses' in found ? found.responses : {}
  return Object.keys(responses ?? {})
}

describe('what the document says of the operations', () => {
  it.each(OPERATIONS)('%s has a test for each status that it may answer with', (id) => {
    const statuses = statusesOf(id)
    expect(statuses).toEqual(expect.arrayContaining(['200', ...COMMON]))
    const common = new Set('body' in operations[id] ? [...COMMON, ...OF_BODIES] : COMMON)
    const untested = statuses
      .filter((status) => !common.has(status))
      .filter((status) => !existsSync(join(routes, folderOf(id), `${status}.test.ts`)))
    expect(untested).toEqual([])
  })
})
