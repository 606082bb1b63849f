/**
 * Measures a newcomer's start: clones the last commit into an empty folder with an empty npm cache, runs `npm
 * start` there twice, and says how long each took to answer. Uses the machine's own Node and npm.
 *
 *   npm run lab -- fresh           measures
 *   npm run lab -- fresh --test    and runs `npm test` in the clone
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')
const unix = process.platform !== 'win32'
const LONGEST_START = 10 * 60_000

const folder = mkdtempSync(join(tmpdir(), 'wigwag-fresh-'))
const clone = join(folder, 'wigwag')
const env = newcomersEnvironment()
let running: ChildProcess | undefined

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    stop()
    cleanUp()
    process.exit(1)
  })
}

try {
  cloneHead()
  const rows: [string, string][] = [
    ['first start', seconds(await start())],
    ['second start', seconds(await start())],
    ['installed', `${Math.round(sizeOf(join(clone, 'node_modules')) / 1024 ** 2)} MB`],
  ]
  if (process.argv.includes('--test')) rows.push(['npm test', test()])
  console.log(`\n${rows.map(([name, value]) => `${name.padEnd(14)}${value.padStart(10)}`).join('\n')}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  cleanUp()
}

function cloneHead(): void {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (stdout !== '') console.error(`Not committed, so not part of this:\n${stdout}`)
  const { status } = spawnSync('git', ['clone', '--quiet', '--no-local', root, clone], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The clone failed.')
}

/** The environment of a person in a new shell: nothing of the npm that runs this, nor of what is installed here. */
function newcomersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)|INIT_CWD$)/i.test(name),
  )
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.startsWith(root) && !/node-gyp-bin/.test(entry))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    npm_config_cache: join(folder, 'npm-cache'),
  }
}

/** Milliseconds from the command to the first request that the gateway is ready for; it is stopped again. */
async function start(): Promise<number> {
  const begun = performance.now()
  const output: Buffer[] = []
  // A group of its own, so that the gateway stops together with the npm that runs it.
  const child = spawn('npm', ['start', '--', '--port', '0'], {
    cwd: clone,
    env,
    detached: unix,
    shell: !unix,
  })
  running = child
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const over = ended.then(() => true)
  try {
    for (let listening = false; !listening; ) {
      if (await Promise.race([over, pause(25, false)]))
        throw new Error(`npm start ended.\n${Buffer.concat(output)}`)
      if (performance.now() - begun > LONGEST_START)
        throw new Error(`Not ready in time.\n${Buffer.concat(output)}`)
      const [, url] = /listening on (\S+)/.exec(Buffer.concat(output).toString()) ?? []
      listening = url !== undefined && (await isReady(url))
    }
    return performance.now() - begun
  } finally {
    stop()
    await ended
    running = undefined
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    async (response) => {
      await response.body?.cancel()
      return response.status === 200
    },
    () => false,
  )
}

function stop(): void {
  if (!running?.pid || running.exitCode !== null) return
  try {
    if (unix) process.kill(-running.pid, 'SIGTERM')
    else spawnSync('taskkill', ['/pid', String(running.pid), '/t', '/f'])
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function test(): string {
  const begun = performance.now()
  const { status } = spawnSync('npm', ['test'], { cwd: clone, env, stdio: 'inherit', shell: !unix })
  if (status !== 0) process.exitCode = 1
  return `${status === 0 ? '' : 'FAILED '}${seconds(performance.now() - begun)}`
}

/** Bytes on the disk, as `du` counts them: a file with several names once. */
function sizeOf(path: string, seen = new Set<number>()): number {
  const entry = lstatSync(path)
  if (unix && seen.has(entry.ino)) return 0
  seen.add(entry.ino)
  const own = unix ? entry.blocks * 512 : entry.size
  return entry.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name), seen), own)
    : own
}

function cleanUp(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
