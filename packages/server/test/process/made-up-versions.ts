import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '../..')
const INSTALLED = join(PACKAGE, '../../node_modules')

/** A version of the built program, with the steps of the schema that it knows. */
export interface Version {
  name: string
  main: string
}

/** Installs the built program in a folder of its own, with steps of a test added to those that it has. */
export async function installVersion(
  folder: string,
  name: string,
  steps: Readonly<Record<string, string>>,
): Promise<Version> {
  const home = join(folder, name)
  await mkdir(home)
  await symlink(INSTALLED, join(folder, 'node_modules')).catch((error: NodeJS.ErrnoException) => {
    // By the version before.
    if (error.code !== 'EEXIST') throw error
  })
  for (const part of ['node_modules', 'assets']) await symlink(join(PACKAGE, part), join(home, part))
  for (const part of ['dist', 'migrations', 'package.json'])
    await cp(join(PACKAGE, part), join(home, part), { recursive: true })
  for (const [step, text] of Object.entries(steps)) await writeFile(join(home, 'migrations', step), text)
  return { name, main: join(home, 'dist/main.js') }
}
