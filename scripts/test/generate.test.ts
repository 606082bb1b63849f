import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyOfTheTree, type Ran, type Tree } from './tree.ts'

const root = join(import.meta.dirname, '../..')

const trees: Tree[] = []
async function aTree(): Promise<Tree> {
  const tree = await copyOfTheTree()
  trees.push(tree)
  return tree
}
afterAll(() => Promise.all(trees.map((tree) => tree.remove())))

const check = (tree: Tree) => tree.run('scripts/generate.ts', '--check')
const generate = (tree: Tree) => tree.run('scripts/generate.ts')

describe('npm run generate -- --check', { timeout: 120_000 }, () => {
  it('names every file that a changed document makes stale, until they are written', async () => {
    const tree = await aTree()
    expect(await check(tree)).toEqual({
      code: 0,
      output: expect.stringContaining('agree with openapi.yaml'),
    })
    await tree.edit('openapi.yaml', '        Reference:\n', '        OwnReference:\n')

    const first = await check(tree)

    expect(first.code).toBe(1)
    for (const file of [
      'packages/contract/src/generated/openapi.ts',
      'packages/contract/src/generated/validators.ts',
      'packages/contract/src/generated/tools.ts',
      'packages/sdk/src/generated/models.ts',
      'docs/sdk/README.md',
    ]) {
      expect(first.output).toContain(file)
    }
    // It wrote nothing, so it fails again.
    expect(await check(tree)).toEqual(first)
    expect(await generate(tree)).toMatchObject({ code: 0 })
    expect(await check(tree)).toMatchObject({ code: 0 })
  })

  it("names a file that was edited by hand, and the SDK's reference when a doc comment says something else", async () => {
    const tree = await aTree()
    await tree.edit('packages/contract/src/generated/operations.ts', 'wallet: true', 'wallet: false')
    await tree.edit('packages/sdk/src/client.ts', '/** Sends one message. ', '/** Sends a message. ')
    expect(await check(tree)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /:? npm run generate\n {2}packages.contract.src.generated.operations\.ts\n {2}docs.sdk.README\.md\n$/,
      ),
    })
  })
})

describe('the type check of the server', { timeout: 120_000 }, () => {
  let tree: Tree
  beforeAll(async () => {
    tree = await aTree()
    const options = { incremental: true, tsBuildInfoFile: 'server.tsbuildinfo' }
    await tree.write(
      'tsconfig.server.json',
      JSON.stringify({
        extends: './tsconfig.json',
        compilerOptions: options,
        include: ['packages/server/src'],
      }),
    )
  })

  it('passes as the tree is', async () => {
    expect(await typeCheck(tree)).toEqual({ code: 0, output: '' })
  })

  it('fails for an operation without a handler and for a field that the server calls otherwise, and names both', async () => {
    await tree.edit('openapi.yaml', 'paths:\n', `paths:\n${await pathOf('/v1/account/balance')}`)
    const required = 'required: [balance, currency, '
    await tree.edit('openapi.yaml', `${required}asOf]`, `${required}readAt]`)
    await tree.edit('openapi.yaml', '        asOf:\n          type', '        readAt:\n          type')
    expect(await generate(tree)).toMatchObject({ code: 0 })

    const errors = errorsOf(await typeCheck(tree))

    expect(errors.filter((error) => error.includes('getAllowance'))).not.toEqual([])
    expect(errors.filter((error) => /asOf|readAt/.test(error))).not.toEqual([])
  })
})

function typeCheck(tree: Tree): Promise<Ran> {
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
