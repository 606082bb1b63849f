import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { snippetsOf } from '../../packages/sdk/test/docs/snippets.ts'
import { type GatewayProcess, startGateway } from '../../packages/server/test/support/gateway-process.ts'
import { runNode } from './tree.ts'

const root = join(import.meta.dirname, '../..')
// Inside the repository, so that the built packages are found from there.
const folder = mkdtempSync(join(import.meta.dirname, '.agents-'))
let gateway: GatewayProcess
beforeAll(async () => {
  mkdirSync(join(folder, 'gateway'))
  gateway = await startGateway(join(folder, 'gateway'))
})
afterAll(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true })
})

/** The output of the first program of each page. */
const PRINTS = {
  sdk: /^success 0\.\d+\n$/,
  mcp: /^get_balance\n(?:.+\n){9}$/m,
  smpp: /^accepted \[ '\w+' \]$/m,
  conform: /^\d+ must: \d+ passed, 0 failed, \d+ not tried$/m,
  server: /^Your code is 4711\.\n$/,
}

describe.each(Object.entries(PRINTS))('the page for agents that use %s', (name, prints) => {
  const pieces = snippetsOf(join(root, `packages/${name}/AGENTS.md`))

  it('has programs that run as they are', async () => {
    expect(pieces.length).toBeGreaterThan(0)
    const ran = []
    for (const { file, code } of pieces) {
      writeFileSync(join(folder, file), code)
      ran.push(await runNode([join(folder, file)], folder, { ...process.env, ...gateway.exports }))
    }
    expect(ran.filter(({ code }) => code !== 0)).toEqual([])
    expect(ran[0]?.output).toMatch(prints)
  })
})
