import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayProcess, startGateway } from '../../../server/test/support/gateway-process.ts'
import { programs } from './programs.ts'
import { runtimes } from './runtimes.ts'
import { createScratch, run, type Scratch } from './scratch.ts'

let scratch: Scratch
let gateway: GatewayProcess
let data: string
beforeAll(async () => {
  scratch = await createScratch(programs)
  data = await mkdtemp(join(tmpdir(), 'wigwag-package-data-'))
  gateway = await startGateway(data)
})
afterAll(async () => {
  await gateway?.stop()
  await scratch?.[Symbol.asyncDispose]()
  await rm(data, { recursive: true, force: true })
})

describe('the packed package', () => {
  it('holds what was built, its manifest, README, page for agents and licence, and nothing else', () => {
    const kinds = ['js', 'js.map', 'cjs', 'cjs.map', 'd.ts', 'd.cts']
    const names = ['index', 'node', 'raw', 'segments', 'testing']
    const built = names.flatMap((name) => kinds.map((kind) => `dist/${name}.${kind}`))
    // Declarations that entries share are in separate files, with a hash in the name.
    const files = scratch.files.filter((name) => !/^dist\/\w+-[\w-]+\.d\.c?ts$/.test(name))
    const pages = ['AGENTS.md', 'LICENSE', 'README.md']
    expect(files.toSorted()).toEqual([...built, ...pages, 'dist', 'package.json'].toSorted())
  })

  it.each(
    runtimes().flatMap(({ version, path }) =>
      Object.keys(programs).map((program) => ({ version, path, program })),
    ),
  )('works with a real gateway as $program on Node $version', async ({ version, path, program }) => {
    const env = { ...process.env, ...gateway.exports }
    const { stdout } = await run(path, [program], { cwd: scratch.folder, env, timeout: 300_000 })
    expect(JSON.parse(stdout)).toEqual({
      node: version,
      segments: 1,
      status: 'success',
      verified: true,
      refused: [true, 'invalid_recipient'],
    })
  })
})
