import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { lastOf, stagesOf, variablesOf, wordsOf } from './dockerfile.ts'
import { buildImage, readIgnored } from './image.ts'

const deploy = join(import.meta.dirname, '../../../deploy')
const run = promisify(execFile)

describe('the image, built without a container engine', () => {
  let folder: string
  let image: string
  let stages: ReturnType<typeof stagesOf>
  let env: NodeJS.ProcessEnv
  let gateway: ChildProcess | undefined
  let said = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wigwag-image-'))
    stages = stagesOf(await readFile(join(deploy, 'Dockerfile'), 'utf8'))
    image = await buildImage(folder, stages)
  }, 120_000)
  afterAll(async () => {
    gateway?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  const last = () => {
    const stage = stages.at(-1)
    if (!stage) throw new Error('the Dockerfile has no stage')
    return stage
  }
  /** Paths of the container, as they are on this machine. */
  const here = (text: string) => text.replace(/(^|file:)\/(app|data)\b/g, `$1${image}/$2`)
  const filesOf = async () =>
    (await readdir(image, { recursive: true })).filter((path) => !path.startsWith('data/')).sort()

  it('holds the program, its licences and a list of its parts, and nothing that only a build needs', async () => {
    const server = join(image, 'app/node_modules/@wigwag/server')
    for (const name of [
      'dist/main.js',
      'migrations',
      'assets/console/reference.js',
      'THIRD-PARTY-NOTICES.txt',
    ])
      expect(existsSync(join(server, name)), name).toBe(true)
    for (const name of ['typescript', 'tsup', 'esbuild', 'vitest', 'node'])
      expect(existsSync(join(image, 'app/node_modules', name)), name).toBe(false)
    const { components } = JSON.parse(await readFile(join(image, 'app/sbom.cdx.json'), 'utf8'))
    const names = components.map(({ name, group }: Record<string, string>) =>
      group ? `${group}/${name}` : name,
    )
    expect(names).toEqual(expect.arrayContaining(['@wigwag/server', 'better-sqlite3', 'pg', 'oidc-provider']))
  })

  it('starts as its ENTRYPOINT says, and writes to its volume alone', async () => {
    const before = await filesOf()
    const { PATH = '', ...variables } = variablesOf(last())
    const own = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, here(value)]))
    env = {
      ...own,
      PATH: [
        ...PATH.split(':')
          .filter((each) => each !== '$PATH')
          .map(here),
        process.env.PATH,
      ].join(delimiter),
      WIGWAG_PORT: String(await freePort()),
      WIGWAG_METRICS_PORT: '0',
      WIGWAG_SECRET: 'a secret with more than 32 characters',
      WIGWAG_CARRIER: 'simulator',
    }
    const [program = '', ...args] = [
      ...wordsOf(lastOf(last(), 'ENTRYPOINT')),
      ...wordsOf(lastOf(last(), 'CMD')),
    ]
    expect(program).toBe('node')
    const data = join(image, lastOf(last(), 'VOLUME'))
    // Node refuses every write elsewhere, as a read-only file system would.
    const readOnly = [
      '--permission',
      '--allow-fs-read=*',
      `--allow-fs-write=${data}`,
      '--allow-addons',
      '--allow-worker',
    ]
    gateway = spawn(process.execPath, [...readOnly, ...args.map(here)], {
      cwd: join(image, lastOf(last(), 'WORKDIR')),
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      gateway?.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk
        if (/"msg":"Wigwag is listening.*\n/.test(said)) resolve()
      })
      gateway?.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)))
    })
    expect(said).toContain('"environment":"production"')
    expect(await readdir(data)).toContain('wigwag.db')
    expect(await filesOf()).toEqual(before)
  })

  it('is healthy as its HEALTHCHECK asks, and has the command for operators', async () => {
    const [, ...args] = wordsOf(lastOf(last(), 'HEALTHCHECK'))
    await run(process.execPath, args, { env })
    const { stdout } = await run('wigwag', ['doctor'], { env, cwd: join(image, 'data') })
    expect(stdout).toMatch(/ok +migrations +up to date/)
  })

  it('stops when Docker asks it to, and is unhealthy then', async () => {
    if (!gateway) throw new Error('no gateway runs')
    gateway.removeAllListeners('exit')
    const ended = once(gateway, 'exit')
    expect(lastOf(last(), 'STOPSIGNAL')).toBe('SIGTERM')
    gateway.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    const [, ...args] = wordsOf(lastOf(last(), 'HEALTHCHECK'))
    await expect(run(process.execPath, args, { env })).rejects.toMatchObject({ code: 1 })
  })

  it('runs as a user with a number, who is not root', () => {
    expect(lastOf(last(), 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })
})

it('a build is given no secret, no database and nothing that was built elsewhere', async () => {
  const ignored = await readIgnored()
  const out = [
    '.env',
    'deploy/.env',
    'deploy/carriers/carriers.json',
    'deploy/carriers/north.password',
    'wigwag.db',
    'packages/server/wigwag.db',
    'packages/server/.env',
    '.git',
  ]
  for (const path of [...out, 'node_modules', 'packages/server/dist', 'packages/server/test', 'docs'])
    expect(ignored(path), path).toBe(true)
  for (const path of ['package.json', 'packages/server/src/main.ts', 'scripts/setup.mjs', 'deploy/lock.mjs'])
    expect(ignored(path), path).toBe(false)
})
