/** The SDK's package.json → the version by which it names itself to a gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const versionFile = 'packages/sdk/src/generated/version.ts'

export function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'))
  return `// Generated from package.json by \`npm run generate\`. Do not edit.\n\nexport const version = '${version}'\n`
}
