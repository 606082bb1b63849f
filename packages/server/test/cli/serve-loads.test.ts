import { readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'
import { expect, it } from 'vitest'

const { outputs }: Metafile = JSON.parse(
  readFileSync(new URL('../../dist/metafile-esm.json', import.meta.url), 'utf8'),
)

/** Everything that a file of the program imports before its first line runs, itself or through others. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind !== 'import-statement' || found.has(path)) continue
    found.add(path)
    loadedBy(path, found)
  }
  return found
}

it('starts without what only assistants, passkeys or terminals need, since that takes as long to load as the rest', () => {
  const serve = Object.keys(outputs).filter((file) => /^dist\/serve-\w+\.js$/.test(file))
  expect(serve).toHaveLength(1)
  const loaded = loadedBy(String(serve[0]))
  expect(loaded).toContain('better-sqlite3')
  const lateOnes = [
    'oidc-provider',
    '@wigwag/mcp',
    '@modelcontextprotocol/server',
    'pino-pretty',
    'nodemailer',
  ]
  for (const late of [...lateOnes, '@simplewebauthn/server']) expect(loaded).not.toContain(late)
})
