/** `npm install` in the project of a guide: links packages and their commands from the store, and fetches nothing. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const store = process.env.PAGE_STORE ?? ''
const names = process.argv.slice(2).filter((word) => word !== 'install' && !word.startsWith('-'))

for (const name of names) {
  const from = join(store, 'node_modules', name)
  if (!existsSync(from))
    throw new Error(`${name} is neither a package of this repository nor installed in it`)
  const to = join('node_modules', name)
  mkdirSync(dirname(to), { recursive: true })
  if (!existsSync(to)) symlinkSync(from, to, 'junction')
  const { bin = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const commands = typeof bin === 'string' ? { [name.replace(/^.*\//, '')]: bin } : bin
  mkdirSync('node_modules/.bin', { recursive: true })
  for (const [command, file] of Object.entries(commands)) {
    const link = join('node_modules/.bin', command)
    if (!existsSync(link)) symlinkSync(join('..', name, String(file)), link)
  }
}
