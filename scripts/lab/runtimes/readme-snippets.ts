import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.ts'

/** The piece of TypeScript of the SDK's README that has some text in it. */
export function snippetWith(text: string): string {
  const page = readFileSync(join(root, 'packages/sdk/README.md'), 'utf8')
  for (const [, code = ''] of page.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```/gm))
    if (code.includes(text)) return code
  throw new Error(`Expected a piece of the README with ${text}; there is none.`)
}
