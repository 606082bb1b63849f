import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FAILURES, failureReasonOf, STATUSES } from '../../src/kernel/message.ts'

const CONCEPTS = new URL('../../../../docs/concepts.md', import.meta.url)
const failed = ['undelivered', 'expired', 'rejected', 'failed'] as const

describe('why a message was not delivered', () => {
  it.each(Object.values(FAILURES))('is %j where that is what we found', (failureReason) => {
    for (const status of failed) expect(failureReasonOf({ status, failureReason })).toBe(failureReason)
  })

  it('is told in a sentence that the documentation has, whatever a carrier said', async () => {
    const concepts = await readFile(CONCEPTS, 'utf8')
    const [, table = ''] = concepts.split('| FailureReason |')
    const documented = [...(table.split('\n\n')[0]?.matchAll(/^\| ([A-Z][^|]+\.) \|/gm) ?? [])].map(
      ([, one]) => one,
    )
    const known = new Set<unknown>(documented)
    const said = fc.oneof(fc.string(), fc.constantFrom(...Object.values(FAILURES)), fc.constant(null))
    const found = new Set<unknown>()
    fc.assert(
      fc.property(fc.constantFrom(...STATUSES), said, (status, failureReason) => {
        const reason = failureReasonOf({ status, failureReason })
        found.add(reason)
        expect(reason === undefined || known.has(reason)).toBe(true)
      }),
    )
    for (const status of failed) known.delete(failureReasonOf({ status, failureReason: 'said' }))
    for (const ours of Object.values(FAILURES)) known.delete(ours)
    expect([...known]).toEqual([])
  })

  it('is told of every status that means it', () => {
    for (const status of STATUSES) {
      const isFailed = failed.some((one) => one === status)
      for (const failureReason of [null, 'said by a carrier'])
        expect(failureReasonOf({ status, failureReason }) !== undefined).toBe(isFailed)
    }
  })
})
