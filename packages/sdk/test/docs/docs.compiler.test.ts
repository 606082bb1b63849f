import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { complaints } from './compiler.ts'
import { examples } from './examples.ts'
import { piecesOf } from './pieces.ts'
import { compiled, readme, snippetsOf } from './snippets.ts'

const documented = examples()
const fromComments = [...documented.values()].flat()
const { folder, run } = piecesOf(fromComments)

describe('the doc comments', () => {
  it('have an example for every exported name', () => {
    expect(documented.size).toBeGreaterThan(40)
    expect([...documented].filter(([, snippets]) => snippets.length === 0)).toEqual([])
  })

  it.each(fromComments)('have an example that runs: $title', run)

  it('have an example of signCallback that makes what callbackHandler accepts', async () => {
    const [example] = documented.get('signCallback') ?? []
    if (!example) throw new Error('signCallback has no example')
    await import(compiled(folder, { ...example, file: 'sign-callback.ts' }))
    expect(vi.mocked(console.log).mock.calls).toEqual([['success'], [204]])
  })
})

it('they and the README are right in the eyes of the compiler, which finds what the type tests promise', () => {
  const files = [...fromComments, ...snippetsOf(readme)].map(
    ({ file, code }) => [join(folder, file), code] as const,
  )
  expect(complaints(new Map(files), [join(import.meta.dirname, '../types.test.ts')])).toEqual([])
})
