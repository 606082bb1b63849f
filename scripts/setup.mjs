/**
 * Makes a clone ready: installs when the lockfile changed, builds when a source changed, and otherwise does nothing in a
 * few milliseconds. Runs before the scripts of package.json, on whatever Node the machine has, so it is plain JavaScript
 * without dependencies.
 *
 *   node scripts/setup.mjs          everything
 *   node scripts/setup.mjs start    what the gateway needs to run: no development dependencies, no types
 *   node scripts/setup.mjs pack     what is published: no development dependencies
 *   node scripts/setup.mjs install  what a tool needs that reads sources: nothing is built
 *
 * Each takes `-- COMMAND …`, which is run on what was then installed. After `&&`, a shell would run the `node` that it had
 * found before the install. The command is ended when npm is gone.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireFreePlace } from './free-place.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
  console.error(`Wigwag needs Node 20 or newer to install itself; this is Node ${process.versions.node}.`)
  process.exit(1)
}
const given = process.argv.slice(2)
const dashes = given.indexOf('--')
const command = dashes < 0 ? [] : given.slice(dashes + 1)
const [part = 'all'] = dashes < 0 ? given : given.slice(0, dashes)
if (!['all', 'start', 'pack', 'install'].includes(part)) {
  console.error(`Expected start, pack, install or nothing behind setup.mjs; got ${part}.`)
  process.exit(2)
}
const installsLittle = part === 'start' || part === 'pack'
const buildsLittle = part === 'start'
/** npm signals the shell that it starts, not us: when that is gone, so is npm. */
const parent = process.ppid

/** Node 24, a peer dependency of the checkout: it is left out where the machine has one that is as new. */
const BROUGHT = join(root, 'node_modules', 'node')
/** The scripts of npm run on the one that was brought, once there is one: that is not the machine's. */
const ownIsEnough = major >= 24 && !process.execPath.startsWith(BROUGHT + sep)

/**
 * The fields of a manifest that an install reads. Edits of other fields, such as scripts, need no new
 * install.
 */
const INSTALLED = [
  'workspaces',
  'overrides',
  'allowScripts',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
]

const serves = command.indexOf('serve')
if (serves >= 0) {
  try {
    await requireFreePlace(command.slice(serves + 1), process.env)
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

const unlock = lock(join(root, '.setup.lock'))
try {
  await once(
    enough(dependencies(), installsLittle),
    'node_modules/.installed',
    ['node_modules', ...(ownIsEnough ? [] : ['node_modules/node'])],
    `Installing (${installsLittle ? 'half a minute' : 'two minutes'}, once)`,
    install,
  )
  const built = ['packages/server/dist', 'packages/server/assets/console']
  if (part !== 'install') {
    await once(enough(contents(sources()), buildsLittle), 'node_modules/.built', built, 'Building', build)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = error.status ?? 1
} finally {
  unlock()
}
if (command.length > 0 && !process.exitCode && !npmIsGone()) runFor(...command)

/** The inputs that satisfy this run: work done for everything is also enough for a start. */
function enough(inputs, isLittle) {
  return isLittle
    ? [
        ['all', ...inputs],
        ['start', ...inputs],
      ]
    : [['all', ...inputs]]
}

/**
 * Runs `work` for the last of the inputs, unless the stamp names any of them and the products are still
 * there.
 */
async function once(inputs, stamp, products, title, work) {
  const fingerprints = inputs.map((parts) => createHash('sha256').update(parts.join('\0')).digest('hex'))
  const file = join(root, stamp)
  const done = existsSync(file) && products.every((product) => existsSync(join(root, product)))
  if (done && fingerprints.includes(readFileSync(file, 'utf8'))) return
  const started = performance.now()
  process.stderr.write(`${title} …\n`)
  await work()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, fingerprints.at(-1))
  process.stderr.write(`  done in ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}

async function install() {
  const omitted = [...(installsLittle ? ['--omit=dev'] : []), ...(ownIsEnough ? ['--omit=peer'] : [])]
  await npm(['ci', ...omitted, '--no-audit', '--no-fund', '--loglevel=error'])
  if (ownIsEnough) return
  // A third of what it brings, for native packages to be compiled against: ours are compiled already.
  const brought = join(BROUGHT, 'node_modules')
  for (const name of readdirSync(brought).filter((each) => each.startsWith('node-'))) {
    rmSync(join(brought, name, 'include'), { recursive: true, force: true })
  }
}

async function build() {
  const flags = buildsLittle ? ['--no-types'] : []
  const node = ownIsEnough ? process.execPath : join(BROUGHT, 'bin', 'node')
  await run(node, [join(root, 'scripts', 'build.ts'), ...flags])
  if (!commands().every((name) => existsSync(join(root, 'node_modules/.bin', name)))) await link()
}

/** An install before the first build leaves out commands whose files are not built yet: `npx wigwag` needs them. */
function link() {
  return npm(['rebuild', '--ignore-scripts', '--loglevel=error'], { quiet: true })
}

function commands() {
  return manifests().flatMap((file) =>
    Object.keys(JSON.parse(readFileSync(join(root, file), 'utf8')).bin ?? {}),
  )
}

function npm(args, options) {
  const path = process.env.npm_execpath
  if (path?.endsWith('.js')) return run(process.execPath, [path, ...args], options)
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options)
}

function run(command, args, { quiet = false } = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      if (status === 0) return resolve()
      reject(Object.assign(new Error(`${command} ${args.join(' ')} failed.`), { status }))
    })
  })
}

/** Runs what the set-up was for, and ends as it does. A terminal sends its Ctrl-C to both. */
function runFor(program, ...args) {
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const shell = process.platform === 'win32'
  const child = spawn(program, args, { env: { ...process.env, PATH }, shell, stdio: 'inherit' })
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const watch = setInterval(() => {
    if (!npmIsGone()) return
    clearInterval(watch)
    child.kill()
  }, 500)
  watch.unref()
  child.once('error', (error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  child.once('close', (status, signal) => {
    process.exitCode ??= status ?? 128 + constants.signals[signal]
  })
}

function npmIsGone() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== parent
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
