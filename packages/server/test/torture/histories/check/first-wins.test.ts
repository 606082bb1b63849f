import { describe, expect, it } from 'vitest'
import { checkUses, type Use, winOf } from './first-wins.ts'

const use = (
  id: number,
  began: number,
  ended: number,
  result: Use['result'],
  more: Partial<Use> = {},
): Use => ({
  id,
  began,
  ended,
  result,
  body: 'a',
  ...(result === 'made' || result === 'repeated' ? { answer: 'yes' } : {}),
  ...more,
})
const b = { body: 'b' }

describe('the first use of a name', () => {
  it.each<[string, Use[]]>([
    [
      'it is made, repeated, and refused to another',
      [use(1, 0, 5, 'made'), use(2, 6, 9, 'repeated'), use(3, 6, 9, 'conflict', b)],
    ],
    ['its answer was lost', [use(1, 0, 5, 'unknown'), use(2, 6, 9, 'repeated')]],
    ['it was done after a loss that had no effect', [use(1, 0, 5, 'unknown'), use(2, 6, 9, 'made')]],
    ['it was refused before', [use(1, 0, 5, 'refused'), use(2, 6, 9, 'made')]],
    ['it is refused while another is made', [use(1, 0, 9, 'made'), use(2, 1, 8, 'refused')]],
    ['it is repeated before the first is answered', [use(1, 0, 9, 'made'), use(2, 1, 3, 'repeated')]],
    ['it is under way', [use(1, 0, 9, 'made'), use(2, 1, 3, 'busy')]],
    ['it was stopped long ago and may be under way', [use(1, 0, 5, 'unknown'), use(2, 9, 10, 'busy')]],
  ])('wins when %s', (_, uses) => {
    expect(checkUses(uses)).toEqual([])
  })

  it.each<[string, Use[]]>([
    ['two bodies won one name', [use(1, 0, 5, 'made'), use(2, 1, 9, 'made', b)]],
    ['it was done anew under the same name', [use(1, 0, 5, 'made'), use(2, 6, 9, 'made')]],
    ['a repeat was told something else', [use(1, 0, 5, 'made'), use(2, 6, 9, 'repeated', { answer: 'no' })]],
    ['it was told of an earlier one that was not there', [use(1, 0, 5, 'repeated'), use(2, 6, 9, 'unknown')]],
    ['the winner was told of a conflict', [use(1, 0, 5, 'made'), use(2, 6, 9, 'conflict')]],
    ['it was told of a conflict with nothing', [use(1, 0, 5, 'refused'), use(2, 6, 9, 'conflict', b)]],
    ['it was told of one under way, and none was', [use(1, 0, 5, 'made'), use(2, 6, 9, 'busy')]],
    ['it was refused after one had won', [use(1, 0, 5, 'made'), use(2, 6, 9, 'refused')]],
  ])('did not win when %s', (what, uses) => {
    expect(checkUses(uses).map((trouble) => trouble.what)).toContain(what)
  })

  it('won between the beginning of what may have done it and the end of the first that was told', () => {
    const uses = [use(1, 0, 5, 'unknown'), use(2, 6, 9, 'unknown'), use(3, 10, 12, 'repeated')]
    expect(winOf(uses, 'a', 100)).toEqual({ body: 'a', from: 0, to: 12 })
    expect(winOf([...uses, use(4, 7, 20, 'made')], 'a', 100)).toEqual({ body: 'a', from: 7, to: 12 })
    expect(winOf(uses.slice(0, 1), 'a', 100)).toEqual({ body: 'a', from: 0, to: 100 })
  })
})
