/**
 * Packs the published packages as a registry would have them, for projects that install them before the first release.
 *
 *   npm run pack                    packed/wigwag-*.tgz
 *   node scripts/pack.ts <folder>   the same in another folder, from what was built
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'packed'))
mkdirSync(folder, { recursive: true })
// The tarballs of another version would be installed with these.
for (const name of readdirSync(folder)) if (/^wigwag-.*\.tgz$/.test(name)) rmSync(join(folder, name))
const workspaces = ['sdk', 'mcp', 'smpp', 'conform', 'server'].map((name) => `--workspace=@wigwag/${name}`)
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...workspaces], {
  cwd: root,
  shell: process.platform === 'win32',
  stdio: ['ignore', 'ignore', 'inherit'],
})
const packed = readdirSync(folder).map((name) => join(folder, name))
console.log(`In your project:\n\nnpm install ${packed.join(' ')}`)
