import { describe, expect, it } from 'vitest'
import { piecesOf } from './pieces.ts'
import { readme, snippetsOf } from './snippets.ts'

const pieces = snippetsOf(readme)
const { run } = piecesOf(pieces)

describe('the README', () => {
  it('has a piece for every task', () => expect(pieces.length).toBeGreaterThan(12))

  it.each(pieces)('has a piece that runs: $title', run)
})
