import { spawn } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import dockerignore from '@balena/dockerignore'
import type { Instruction, Stage } from './dockerfile.ts'

const root = join(import.meta.dirname, '../../..')
/** Products of `node scripts/setup.mjs`. The checkout has them, so no step downloads or builds them again. */
const MADE = ['dist', 'assets', 'LICENSE', 'THIRD-PARTY-NOTICES.txt']
/** Folders that nothing is copied from, too large to look through. */
const LARGE = new Set(['node_modules', '.git'])
/** Instructions that say how a container runs. They make no files. */
const SETTINGS = new Set([
  'LABEL',
  'ENV',
  'USER',
  'VOLUME',
  'EXPOSE',
  'STOPSIGNAL',
  'HEALTHCHECK',
  'ENTRYPOINT',
  'CMD',
])

/** Builds an image as a folder: its stages in order, each in a folder that stands for its file system. */
export async function buildImage(folder: string, stages: readonly Stage[]): Promise<string> {
  const context = join(folder, 'context')
  await copyContext(context)
  const places = new Map<string, string>()
  let place = ''
  for (const [index, stage] of stages.entries()) {
    place = join(folder, stage.name ?? `stage-${index}`)
    if (stage.name) places.set(stage.name, place)
    await mkdir(place, { recursive: true })
    await runStage(stage, { place, context, places })
  }
  return place
}

interface Surroundings {
  place: string
  context: string
  places: ReadonlyMap<string, string>
}

async function runStage({ steps }: Stage, { place, context, places }: Surroundings): Promise<void> {
  let cwd = place
  for (const step of steps) {
    if (SETTINGS.has(step.name)) continue
    if (step.name === 'WORKDIR') {
      cwd = join(place, step.rest)
      await mkdir(cwd, { recursive: true })
    } else if (step.name === 'COPY') await copy(step, { place, cwd, context, places })
    else if (step.name === 'RUN') await runStep(step, cwd)
    else throw new Error(`a test has to learn what ${step.name} does`)
  }
}

async function copy({ rest }: Instruction, { place, cwd, context, places }: Surroundings & { cwd: string }) {
  const flags = rest.split(' ').filter((word) => word.startsWith('--'))
  const [from = '', to = ''] = rest.split(' ').filter((word) => !word.startsWith('--'))
  const stage = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length)
  const source = stage === undefined ? context : places.get(stage)
  if (source === undefined) throw new Error(`COPY ${rest}: there is no stage ${stage} before`)
  const target = to.startsWith('/') ? join(place, to) : resolve(cwd, to)
  await cp(join(source, from), target, { recursive: true, verbatimSymlinks: true })
}

/** Runs a step as it is written, but takes packages from the checkout instead of a registry. */
async function runStep({ rest }: Instruction, cwd: string): Promise<void> {
  if (/(^|[\s=])\/\w/.test(rest)) throw new Error(`RUN ${rest}: expected no absolute paths`)
  if (!rest.startsWith('npm ci ')) return shell(rest, cwd)
  await shell(`${rest} --dry-run --offline --cache ../../no-cache`, cwd)
  const { packages } = JSON.parse(await readFile(join(cwd, 'package-lock.json'), 'utf8'))
  const entries = Object.entries<{ resolved?: string; optional?: true }>(packages)
  for (const [path, { resolved = '', optional }] of entries) {
    if (path === '') continue
    if (resolved.startsWith('file:')) await unpack(resolved.slice('file:'.length), path, cwd)
    else if (existsSync(inCheckout(path)) || !optional)
      await cp(inCheckout(path), join(cwd, path), { recursive: true, filter: notBelow(path) })
  }
}

async function unpack(file: string, path: string, cwd: string): Promise<void> {
  await mkdir(join(cwd, path), { recursive: true })
  await shell(`tar -xzf ${file} --strip-components=1 -C ${path}`, cwd)
  const { bin = {} } = JSON.parse(await readFile(join(cwd, path, 'package.json'), 'utf8'))
  const bins = join(cwd, 'node_modules', '.bin')
  await mkdir(bins, { recursive: true })
  for (const [name, target] of Object.entries<string>(bin)) {
    const program = join(cwd, path, target)
    chmodSync(program, 0o755)
    await symlink(relative(bins, program), join(bins, name))
  }
}

function inCheckout(path: string): string {
  return join(root, path.replace(/^node_modules\/@wigwag\/(\w+)\//, 'packages/$1/'))
}

/** Packages inside of a package are copied by themselves. */
function notBelow(path: string): (source: string) => boolean {
  const inside = join(inCheckout(path), 'node_modules')
  return (source) => !source.startsWith(inside)
}

/** Says whether a path is kept from the build. */
export async function readIgnored(): Promise<(path: string) => boolean> {
  const rules = dockerignore().add(await readFile(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8'))
  return (path) => rules.ignores(path)
}

/** Copies the build's context, and the products of a first step. */
async function copyContext(context: string): Promise<void> {
  await copyTree('', await readIgnored(), context)
  for (const name of await readdir(join(root, 'packages'))) {
    for (const made of MADE) await copyIfThere(join('packages', name, made), context)
    await copyIfThere(join('packages', name, 'node_modules'), context)
  }
  await linkInstalled(join(context, 'node_modules'))
}

/** Copies the files that are not ignored. Folders are looked through anyhow: a file in one can be an exception. */
async function copyTree(path: string, ignored: (path: string) => boolean, to: string): Promise<void> {
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) {
      if (!LARGE.has(entry.name)) await copyTree(inner, ignored, to)
    } else if (entry.isFile() && !ignored(inner)) {
      await mkdir(join(to, dirname(inner)), { recursive: true })
      await cp(join(root, inner), join(to, inner))
    }
  }
}

async function copyIfThere(path: string, to: string): Promise<void> {
  const found = await stat(join(root, path)).catch(() => undefined)
  if (found) await cp(join(root, path), join(to, path), { recursive: true, verbatimSymlinks: true })
}

/** Links to each installed package, and copies of the notes that say what was installed and built. */
async function linkInstalled(place: string): Promise<void> {
  const installed = join(root, 'node_modules')
  await mkdir(join(place, '@wigwag'), { recursive: true })
  for (const name of await readdir(join(installed, '@wigwag'))) {
    await symlink(await readlink(join(installed, '@wigwag', name)), join(place, '@wigwag', name))
  }
  for (const name of await readdir(installed)) {
    if (name === '.installed' || name === '.built') {
      await writeFile(join(place, name), await readFile(join(installed, name)))
    } else if (name !== '@wigwag' && name !== '.cache')
      await symlink(join(installed, name), join(place, name))
  }
}

function shell(command: string, cwd: string): Promise<void> {
  const child = spawn('sh', ['-ec', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  return new Promise((fulfil, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) fulfil()
      else reject(new Error(`RUN ${command} ended with ${code}:\n${Buffer.concat(output)}`))
    })
  })
}
