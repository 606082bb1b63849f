/**
 * Makes a fresh clone ready: installs when the lockfile changed, builds when a source changed, and otherwise does
 * nothing in a few milliseconds. Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the
 * machine has, so it is plain JavaScript without dependencies.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
  console.error(`Wigwag needs Node 20 or newer to install itself; this is Node ${process.versions.node}.`)
  process.exit(1)
}

/** What an install reads of a manifest: an edit of a script or a description does not call for another one. */
const INSTALLED = [
  'workspaces',
  'overrides',
  'allowScripts',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
]

const unlock = lock(join(root, '.setup.lock'))
try {
  once(
    dependencies(),
    'node_modules/.installed',
    ['node_modules'],
    'Installing (about a minute, once)',
    install,
  )
  const built = ['packages/server/dist', 'packages/server/assets']
  once(contents(sources()), 'node_modules/.built', built, 'Building', build)
} finally {
  unlock()
}

/** Runs `work` unless the stamp says that it was done for these very inputs and what it made is still there. */
function once(inputs, stamp, products, title, work) {
  const fingerprint = createHash('sha256').update(inputs.join('\0')).digest('hex')
  const file = join(root, stamp)
  const done = existsSync(file) && products.every((product) => existsSync(join(root, product)))
  if (done && readFileSync(file, 'utf8') === fingerprint) return
  const started = performance.now()
  process.stderr.write(`${title} …\n`)
  work()
  writeFileSync(file, fingerprint)
  process.stderr.write(`  done in ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}

function install() {
  const npm = process.env.npm_execpath
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...flags])
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', flags)
}

/** The build runs on the Node that the install brought along, not on the machine's. */
function build() {
  run(join(root, 'node_modules', 'node', 'bin', 'node'), [join(root, 'scripts', 'build.ts')])
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) console.error(error.message)
  if (status !== 0) {
    unlock()
    process.exit(status ?? 1)
  }
}

function manifests() {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  return ['package.json', ...packages.filter((file) => existsSync(join(root, file)))]
}

function dependencies() {
  const fields = manifests().map((file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'))
    return JSON.stringify([file, ...INSTALLED.map((field) => manifest[field])])
  })
  return [...contents(['package-lock.json']), ...fields]
}

function sources() {
  const files = ['openapi.yaml', 'scripts/build.ts', 'tsconfig.json', 'tsconfig.base.json', ...manifests()]
  for (const name of readdirSync(join(root, 'packages'))) {
    files.push(`packages/${name}/tsup.config.ts`)
    files.push(...tree(`packages/${name}/src`))
  }
  return files
}

function tree(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? tree(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  )
}

/** Each file's name and what is in it; a file that is not there counts as well. */
function contents(files) {
  return [...files].sort().flatMap((file) => {
    const path = join(root, file)
    return [file, existsSync(path) ? readFileSync(path, 'utf8') : '']
  })
}

/** Two commands started at once on a fresh clone: the second waits for the first. */
function lock(folder) {
  const pidFile = join(folder, 'pid')
  for (let waited = false; ; ) {
    try {
      mkdirSync(folder)
      writeFileSync(pidFile, String(process.pid))
      return () => rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (abandoned(folder, pidFile)) rmSync(folder, { recursive: true, force: true })
    else if (!waited) {
      waited = true
      process.stderr.write('Waiting for another set-up of this clone …\n')
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
}

function abandoned(folder, pidFile) {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0)
    return false
  } catch (error) {
    if (error.code === 'ESRCH') return true
    if (error.code !== 'ENOENT') return false
    return existsSync(folder) && Date.now() - statSync(folder).mtimeMs > 5000
  }
}
