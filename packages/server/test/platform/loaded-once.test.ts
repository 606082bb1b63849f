import { expect, it } from 'vitest'
import { loadedOnce } from '../../src/kernel/process/loaded-once.ts'

it('loads something once for all who ask, and again after a failure', async () => {
  let loads = 0
  const load = loadedOnce(async () => {
    loads++
    if (loads === 1) throw new Error('too many open files')
    return loads
  })
  const first = await Promise.allSettled([load(), load()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await Promise.all([load(), load(), load()])).toEqual([2, 2, 2])
  expect(await load()).toBe(2)
})
