/**
 * Writes the manifest and the lock file of an installation of the packed packages, which lie in its folder `packed`: what
 * they need and nothing else, in the versions of the workspace's lock file.
 *
 *   node deploy/lock.mjs FOLDER
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Expected the folder to install into: node deploy/lock.mjs FOLDER')
  process.exit(2)
}

const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const { lockfileVersion, packages: all } = read('package-lock.json')
/** The lockfile's entries, with a workspace's own dependencies moved below its package. */
const known = new Map(
  Object.entries(all).map(([place, entry]) => [
    place.replace(/^packages\/(\w+)\//, 'node_modules/@wigwag/$1/'),
    entry,
  ]),
)

const published = ['sdk', 'mcp', 'smpp', 'server'].map((name) => {
  const { version, dependencies, engines, bin, license } = read(`packages/${name}/package.json`)
  const resolved = `file:packed/wigwag-${name}-${version}.tgz`
  return { name: `@wigwag/${name}`, entry: { version, resolved, license, dependencies, bin, engines } }
})
const locked = new Map()
for (const { name, entry } of published) locked.set(`node_modules/${name}`, entry)
const waiting = [...locked.keys()]
for (let place = waiting.pop(); place; place = waiting.pop()) {
  for (const found of needsOf(place)) {
    if (locked.has(found)) continue
    const { dev, devOptional, peer, ...entry } = known.get(found)
    locked.set(found, entry)
    waiting.push(found)
  }
}

const manifest = {
  name: 'wigwag-image',
  version: read('packages/server/package.json').version,
  private: true,
  dependencies: Object.fromEntries(published.map(({ name, entry }) => [name, entry.resolved])),
}
mkdirSync(folder, { recursive: true })
write('package.json', manifest)
write('package-lock.json', {
  ...manifest,
  lockfileVersion,
  requires: true,
  packages: { '': manifest, ...Object.fromEntries([...locked].sort(([a], [b]) => (a < b ? -1 : 1))) },
})

/** The places of the packages that one package needs. */
function needsOf(place) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, ...rest } = locked.get(place)
  const peers = Object.keys(peerDependencies).filter((name) => !rest.peerDependenciesMeta?.[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].map((name) => {
    const found = findFrom(place, name)
    if (!found) throw new Error(`package-lock.json has no ${name}, which ${place} needs`)
    return found
  })
}

/** As Node looks for a package: in the folder of the one that needs it, then in those above. */
function findFrom(place, name) {
  for (let from = place; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
    const candidate = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`
    if (locked.has(candidate) || known.has(candidate)) return candidate
    if (from === '') return undefined
  }
}

function write(file, content) {
  writeFileSync(join(folder, file), `${JSON.stringify(content, undefined, 2)}\n`)
}
