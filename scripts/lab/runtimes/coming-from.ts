/** docs/sdk/coming-from.md: every line of its tables is compiled against the library that it is written for. */
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { complaints } from '../../../packages/sdk/test/package/scratch.ts'
import { type Idea, type Row, row } from './idea.ts'
import { installed, root, versionOf } from './install.ts'

/** The libraries of the page, each with the package that says its version and the others that it needs. */
const libraries = { twilio: ['twilio'], vonage: ['@vonage/sms', '@vonage/auth'], resend: ['resend'] }

const page = readFileSync(join(root, 'docs', 'sdk', 'coming-from.md'), 'utf8')

/** The piece that begins with a library's name: its imports and its client. */
function beginning(name: string): string {
  const found = new RegExp(`\`\`\`ts\\n(// ${name}\\n[\\s\\S]*?)\`\`\``).exec(page)?.[1]
  if (!found) throw new Error(`Expected a piece of coming-from.md that begins with // ${name}.`)
  return found
}

/** The cells of a column of a library's table that are code. */
function column(name: string, number: 1 | 2): string[] {
  const section = page.split(/^## /m).find((text) => text.toLowerCase().startsWith(name)) ?? ''
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | '))
  return rows.flatMap((cells) => /^`(.*)`(?: \|)?$/.exec(cells[number] ?? '')?.[1] ?? [])
}

const files = Object.fromEntries(
  Object.keys(libraries).flatMap((name) => [
    [`${name}.mts`, `${beginning(name)}\n${column(name, 1).join(';\n')}\nexport {}\n`],
    [`${name}-wigwag.mts`, `${beginning('wigwag')}\n${column(name, 2).join(';\n')}\nexport {}\n`],
  ]),
)

export const comingFrom: Idea = {
  files,
  async run(folder) {
    // Their types name others' and Node's, which are found from where they are installed.
    await symlink(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'), 'junction')
    await symlink(installed('@vonage'), join(folder, 'node_modules', '@vonage'), 'junction')
    for (const name of ['twilio', 'resend']) {
      await symlink(installed(name), join(folder, 'node_modules', name), 'junction')
    }
    const options = { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'], skipLibCheck: true }
    const rows: Row[] = []
    for (const [name, [main = name]] of Object.entries(libraries)) {
      for (const [file, side, number] of [
        [`${name}.mts`, 'theirs', 1],
        [`${name}-wigwag.mts`, 'ours', 2],
      ] as const) {
        const lines = column(name, number).length
        const line = {
          what: main,
          version: versionOf(main),
          does: `compiles ${lines} lines beside it, ${side}`,
        }
        rows.push(
          await row(line, async () => {
            if (lines < 5) throw new Error(`Expected a table of ${name}; it has ${lines} lines of code.`)
            const said = await complaints(folder, [file], options)
            if (said !== '') throw new Error(said)
          }),
        )
      }
    }
    return rows
  },
}
