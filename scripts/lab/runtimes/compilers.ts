/** A strict program is compiled by the oldest compiler that is promised, that of this checkout, and the newest. */
import { join } from 'node:path'
import { typed } from '../../../packages/sdk/test/package/programs.ts'
import { complaints } from '../../../packages/sdk/test/package/scratch.ts'
import { type Idea, type Row, row } from './idea.ts'
import { installed, root, versionOf } from './install.ts'

const kinds = {
  ESM: [['typed.mts'], { module: 'nodenext', moduleResolution: 'nodenext' }],
  CommonJS: [['typed.cts'], { module: 'nodenext', moduleResolution: 'nodenext' }],
  'for a bundler': [['typed.ts'], { module: 'esnext', moduleResolution: 'bundler' }],
} as const

export const compilers: Idea = {
  files: { 'typed.mts': typed, 'typed.cts': typed, 'typed.ts': typed },
  async run(folder) {
    const places = [
      installed('typescript54'),
      join(root, 'node_modules', 'typescript'),
      installed('typescript-newest'),
    ]
    const rows: Row[] = []
    for (const place of places) {
      for (const [kind, [files, options]] of Object.entries(kinds)) {
        const line = {
          what: 'TypeScript',
          version: versionOf('.', place),
          does: `compiles strictly, ${kind}`,
        }
        rows.push(
          await row(line, async () => {
            const said = await complaints(folder, [...files], options, join(place, 'bin', 'tsc'))
            if (said !== '') throw new Error(said)
          }),
        )
      }
    }
    return rows
  },
}
