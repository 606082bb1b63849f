import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editorOf } from '../docs/compiler.ts'
import { typed } from './programs.ts'
import { complaints, createScratch, type Scratch } from './scratch.ts'

let scratch: Scratch
beforeAll(async () => {
  scratch = await createScratch({ 'typed.mts': typed, 'typed.cts': typed, 'typed.ts': typed })
})
afterAll(() => scratch?.[Symbol.asyncDispose]())

describe('the types of the packed package', () => {
  it('shows in an editor what a field means', () => {
    const text = "import { createClient } from '@wigwag/sdk'\ncreateClient().sendSms({ To: '' })"
    const options = {
      strict: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: [],
    }
    const editor = editorOf(join(scratch.folder, 'typed-by-somebody.mts'), options)
    expect(editor.hover(text, text.indexOf('To:'))).toContain("The recipient's number")
  })

  it.each([
    [['typed.mts', 'typed.cts'], { module: 'nodenext', moduleResolution: 'nodenext' }],
    [['typed.ts'], { module: 'preserve', moduleResolution: 'bundler' }],
  ])('is typed for a strict compiler: %o with %o', async (files, options) => {
    expect(await complaints(scratch.folder, files, options)).toBe('')
  })
})
