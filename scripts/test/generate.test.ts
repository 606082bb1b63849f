import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyOfTheTree, type Ran, type Tree } from './tree.ts'

const root = join(import.meta.dirname, '../..')

let tree: Tree
beforeEach(async () => {
  tree = await copyOfTheTree()
})
afterEach(() => tree.remove())

const check = () => tree.run('scripts/generate.ts', '--check')
const generate = () => tree.run('scripts/generate.ts')

describe('npm run generate -- --check', () => {
  it('agrees with the committed files', async () => {
    expect(await check()).toEqual({ code: 0, output: expect.stringContaining('agree with openapi.yaml') })
  })

  it('names every file that a changed document makes stale', async () => {
    await tree.edit('openapi.yaml', '        Reference:\n', '        OwnReference:\n')

    const { code, output } = await check()

    expect(code).toBe(1)
    for (const file of [
      'packages/sdk/src/generated/openapi.ts',
      'packages/server/src/generated/openapi.ts',
      'packages/server/src/generated/validators.ts',
      'packages/server/src/generated/document.json',
      'packages/mcp/src/generated/validators.ts',
      'packages/mcp/src/generated/tools.ts',
      'docs/sdk/README.md',
    ]) {
      expect(output).toContain(file)
    }
  })

  it("names the SDK's reference when a doc comment says something else", async () => {
    await tree.edit('packages/sdk/src/client.ts', '/** Sends one message. ', '/** Sends a message. ')
    expect(await check()).toEqual({
      code: 1,
      output: expect.stringMatching(/:? npm run generate\n {2}docs.sdk.README\.md\n$/),
    })
  })

  it('writes nothing, so that it fails again', async () => {
    await tree.edit('openapi.yaml', 'version: 2.0.4', 'version: 2.0.5')

    const first = await check()
    expect(first.code).toBe(1)
    expect(await check()).toEqual(first)
  })

  it('names a generated file that was edited by hand', async () => {
    await tree.edit('packages/server/src/generated/operations.ts', 'wallet: true', 'wallet: false')

    const { code, output } = await check()

    expect(code).toBe(1)
    expect(output).toContain('packages/server/src/generated/operations.ts')
    expect(output).not.toContain('packages/sdk/')
  })

  it('agrees once the files are written', async () => {
    await tree.edit('openapi.yaml', 'version: 2.0.4', 'version: 2.0.5')
    expect(await generate()).toMatchObject({ code: 0 })
    expect(await check()).toMatchObject({ code: 0 })
  })
})

describe('the type check of the server', { timeout: 120_000 }, () => {
  beforeEach(async () => {
    await tree.write(
      'tsconfig.server.json',
      JSON.stringify({ extends: './tsconfig.json', include: ['packages/server/src'] }),
    )
  })

  it('passes as the tree is', async () => {
    expect(await typeCheck()).toEqual({ code: 0, output: '' })
  })

  it('fails for an operation of the document that has no handler, and names it', async () => {
    await tree.edit('openapi.yaml', 'paths:\n', `paths:\n${await pathOf('/v1/account/balance')}`)
    expect(await generate()).toMatchObject({ code: 0 })

    const errors = errorsOf(await typeCheck())

    expect(errors.filter((error) => error.includes('getAllowance'))).not.toEqual([])
  })

  it('fails for a response field that the server calls otherwise, and names it', async () => {
    await tree.edit(
      'openapi.yaml',
      'required: [balance, currency, asOf]',
      'required: [balance, currency, readAt]',
    )
    await tree.edit('openapi.yaml', '        asOf:\n          type', '        readAt:\n          type')
    expect(await generate()).toMatchObject({ code: 0 })

    const errors = errorsOf(await typeCheck())

    expect(errors.filter((error) => /asOf|readAt/.test(error))).not.toEqual([])
  })
})

function typeCheck(): Promise<Ran> {
  return tree.run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.server.json', '--pretty', 'false')
}

/** The errors in the server, each with the lines that explain it. What the server imports may have its own. */
function errorsOf({ code, output }: Ran): string[] {
  expect(code).not.toBe(0)
  return output.split(/\n(?=\S)/).filter((error) => /^packages\/server\/.*error TS/.test(error))
}

/** The balance's path once more, as an operation that nobody has heard of. */
async function pathOf(path: string): Promise<string> {
  const document = await readFile(join(root, 'openapi.yaml'), 'utf8')
  const from = document.indexOf(`  ${path}:\n`)
  const to = document.indexOf('\n  /v1/', from) + 1
  expect(from).toBeGreaterThan(0)
  expect(to).toBeGreaterThan(from)
  return document
    .slice(from, to)
    .replace(path, '/v1/account/allowance')
    .replace('operationId: getBalance', 'operationId: getAllowance')
    .replace(/ +x-tool: .*\n/, '')
}
