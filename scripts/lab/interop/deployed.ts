import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** A file in `deploy/` with what is of this machine in place of what is to be filled in. Each must be in it. */
export async function filled(name: string, fill: readonly (readonly [string, string])[]): Promise<string> {
  let text = await readFile(join(DEPLOY, name), 'utf8')
  for (const [from, to] of fill) {
    if (!text.includes(from)) throw new Error(`${name} does not hold ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
