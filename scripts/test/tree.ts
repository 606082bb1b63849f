import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'

const root = join(import.meta.dirname, '../..')
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'assets'])

export interface Ran {
  code: number | null
  output: string
}

/** A copy of the tree to break: the sources are its own, what is installed is shared. */
export interface Tree {
  readonly folder: string
  run(script: string, ...args: string[]): Promise<Ran>
  /** Replaces a piece of a file; it is an error when the file does not hold it. */
  edit(file: string, from: string, to: string): Promise<void>
  write(file: string, content: string): Promise<void>
  remove(): Promise<void>
}

export async function copyOfTheTree(): Promise<Tree> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-tree-'))
  const parts = ['package.json', 'tsconfig.json', 'tsconfig.base.json', 'openapi.yaml']
  for (const part of [...parts, 'packages', 'scripts', 'examples', 'docs']) {
    await cp(join(root, part), join(folder, part), { recursive: true, filter: isSource })
  }
  await linkInstalled(folder)

  return {
    folder,
    run: (script, ...args) => runNode([join(folder, script), ...args], folder),
    async edit(file, from, to) {
      const content = await readFile(join(folder, file), 'utf8')
      if (!content.includes(from)) throw new Error(`${file} does not hold: ${from}`)
      await writeFile(join(folder, file), content.replace(from, to))
    },
    write: (file, content) => writeFile(join(folder, file), content),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function isSource(path: string): boolean {
  return !relative(root, path)
    .split(sep)
    .some((part) => LEFT_OUT.has(part))
}

async function linkInstalled(folder: string): Promise<void> {
  const packages = await readdir(join(root, 'packages'))
  for (const place of ['', ...packages.map((name) => join('packages', name))]) {
    const installed = join(root, place, 'node_modules')
    const exists = await readdir(installed).catch(() => undefined)
    if (exists) await symlink(installed, join(folder, place, 'node_modules'), 'junction')
  }
}

export function runNode(
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
  hear: (text: string) => void = () => {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => hear(chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output: Buffer.concat(output).toString() }))
  })
}
