/** Lets Node run pages from their sources: it takes types away by itself, but a page is JSX. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'

const RUNTIME = pathToFileURL(
  join(import.meta.dirname, '../packages/server/src/net/pages/jsx-runtime.ts'),
).href

registerHooks({
  resolve(specifier, context, next) {
    return specifier === '@wigwag/server/jsx-runtime'
      ? { url: RUNTIME, shortCircuit: true }
      : next(specifier, context)
  },
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context)
    const sourcefile = fileURLToPath(url)
    const { code } = transformSync(readFileSync(sourcefile, 'utf8'), {
      loader: 'tsx',
      jsx: 'automatic',
      jsxImportSource: '@wigwag/server',
      sourcefile,
      sourcemap: 'inline',
    })
    return { format: 'module', source: code, shortCircuit: true }
  },
})
