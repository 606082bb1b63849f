import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { compiled, type Snippet } from './snippets.ts'
import { type StandIn, standIn } from './stand-in.ts'

/** Pieces of the documentation, written as files that import each other. */
export interface Pieces {
  readonly folder: string
  /** Runs a piece. Where it makes a receiver of callbacks, that gets one. */
  readonly run: (piece: Snippet) => Promise<void>
}

/** Writes the pieces for the tests of a file, which run them against one stand-in for a gateway. */
export function piecesOf(snippets: readonly Snippet[]): Pieces {
  // Inside the repository, so that the packages are found from there; hidden from whatever reads its sources.
  const folder = mkdtempSync(join(import.meta.dirname, '.snippets-'))
  const paths = new Map(
    snippets.map((snippet) => {
      // A listening server would keep the tests from ending.
      const code = snippet.code.replace('.listen(3000)', '.listen(0).unref()')
      return [snippet.file, compiled(folder, { ...snippet, code })]
    }),
  )

  let gateway: StandIn
  beforeAll(async () => {
    gateway = await standIn()
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    for (const method of ['log', 'warn', 'error', 'debug', 'count'] as const)
      vi.spyOn(console, method).mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  return {
    folder,
    async run({ file }) {
      const exports: Record<string, unknown> = await import(paths.get(file) ?? '')
      for (const exported of [exports.POST, exports.default, exports.app]) {
        const handle = handlerOf(exported)
        if (handle) expect((await handle(await gateway.callback())).status).toBe(204)
      }
    },
  }
}

function handlerOf(exported: unknown): ((request: Request) => Response | Promise<Response>) | undefined {
  if (typeof exported === 'function') return (request) => exported(request)
  if (typeof exported !== 'object' || exported === null || !('fetch' in exported)) return undefined
  return handlerOf(exported.fetch)
}
