import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { complaints } from './compiler.ts'
import { compiled, examples, readme, type Snippet, snippetsOf } from './snippets.ts'
import { type StandIn, standIn } from './stand-in.ts'

// Inside the repository, so that the packages are found from there; hidden from whatever reads its sources.
const folder = mkdtempSync(join(import.meta.dirname, '.snippets-'))
afterAll(() => rmSync(folder, { recursive: true }))

let gateway: StandIn
beforeEach(async () => {
  gateway = await standIn()
  for (const method of ['log', 'warn', 'error', 'debug', 'count'] as const)
    vi.spyOn(console, method).mockImplementation(() => {})
})
afterEach(async () => {
  vi.restoreAllMocks()
  await gateway[Symbol.asyncDispose]()
})

const documented = examples()
const fromComments = [...documented.values()].flat()
const fromReadme = snippetsOf(readme)
const paths = new Map(
  [...fromComments, ...fromReadme].map((snippet) => {
    // What listens would keep the tests from ending.
    const code = snippet.code.replace('.listen(3000)', '.listen(0).unref()')
    return [snippet.file, compiled(folder, { ...snippet, code })]
  }),
)

/** Runs a piece. Where it makes a receiver of callbacks, that gets one. */
async function run({ file }: Snippet): Promise<void> {
  const exports: Record<string, unknown> = await import(paths.get(file) ?? '')
  for (const exported of [exports.POST, exports.default, exports.app]) {
    const handle = handlerOf(exported)
    if (handle) expect((await handle(await gateway.callback())).status).toBe(204)
  }
}

function handlerOf(exported: unknown): ((request: Request) => Response | Promise<Response>) | undefined {
  if (typeof exported === 'function') return (request) => exported(request)
  if (typeof exported !== 'object' || exported === null || !('fetch' in exported)) return undefined
  return handlerOf(exported.fetch)
}

describe('the doc comments', () => {
  it('have an example for every exported name', () => {
    expect(documented.size).toBeGreaterThan(40)
    expect([...documented].filter(([, snippets]) => snippets.length === 0)).toEqual([])
  })

  it.each(fromComments)('have an example that runs: $title', run)
})

describe('the README', () => {
  it('has a piece for every task', () => expect(fromReadme.length).toBeGreaterThan(12))

  it.each(fromReadme)('has a piece that runs: $title', run)
})

it('is right in the eyes of the compiler', { timeout: 120_000 }, () => {
  const files = [...fromComments, ...fromReadme].map(({ file, code }) => [join(folder, file), code] as const)
  expect(complaints(new Map(files))).toEqual([])
})
