import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyOfTheTree, type Ran, type Tree } from './tree.ts'

const root = join(import.meta.dirname, '../..')

let tree: Tree
beforeAll(async () => {
  tree = await copyOfTheTree()
})
afterAll(() => tree.remove())

const check = () => tree.run('scripts/generate.ts', '--check')

describe('npm run generate, and the type check after it', { timeout: 600_000 }, () => {
  it('names every file that was edited by hand, or that the document or a doc comment makes stale, and writes nothing', async () => {
    const edited = 'packages/contract/src/generated/operations.ts'
    await tree.edit(edited, 'wallet: true', 'wallet: false')
    await tree.edit('packages/sdk/src/client.ts', '/** Sends one message. ', '/** Sends a message. ')
    await tree.edit('openapi.yaml', '        Reference:\n', '        OwnReference:\n')

    const { code, output } = await check()

    expect(code).toBe(1)
    expect(output).toContain('npm run generate')
    for (const file of [
      edited,
      'packages/contract/src/generated/openapi.ts',
      'packages/contract/src/generated/validators.ts',
      'packages/contract/src/generated/tools.ts',
      'packages/sdk/src/generated/models.ts',
      'docs/sdk/reference/Client.md',
    ]) {
      expect(output).toContain(file)
    }
    expect(output).not.toContain('docs/errors.md')
    expect(await readFile(join(tree.folder, edited), 'utf8')).toContain('wallet: false')
  })

  it('writes what agrees with the document, after which the compiler names in the server an operation without a handler and a field that is called otherwise', async () => {
    await tree.edit('openapi.yaml', '        OwnReference:\n', '        Reference:\n')
    await tree.edit('openapi.yaml', 'paths:\n', `paths:\n${await pathOf('/v1/account/balance')}`)
    const required = 'required: [balance, currency, '
    await tree.edit('openapi.yaml', `${required}asOf]`, `${required}readAt]`)
    await tree.edit('openapi.yaml', '        asOf:\n          type', '        readAt:\n          type')
    expect(await tree.run('scripts/generate.ts')).toMatchObject({ code: 0 })
    expect(await check()).toEqual({
      code: 0,
      output: expect.stringContaining('agree with openapi.yaml'),
    })

    const errors = errorsOf(await typeCheck(tree))

    expect(errors.filter((error) => error.includes('getAllowance'))).not.toEqual([])
    expect(errors.filter((error) => /asOf|readAt/.test(error))).not.toEqual([])
  })
})

async function typeCheck(tree: Tree): Promise<Ran> {
  await tree.write(
    'tsconfig.server.json',
    JSON.stringify({ extends: './tsconfig.json', include: ['packages/server/src'] }),
  )
  return tree.run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.server.json', '--pretty', 'false')
}

/**
 * The errors in the server, each with the lines that explain it. Errors in packages that it imports don't
 * count.
 */
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
