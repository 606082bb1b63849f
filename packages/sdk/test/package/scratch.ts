import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

const root = join(import.meta.dirname, '../../../..')
const packages = ['openapi-fetch', 'openapi-typescript-helpers', 'undici'].map((name) =>
  join('node_modules', name),
)

/** A project of somebody else's, with the packed SDK installed in it. */
export interface Scratch extends AsyncDisposable {
  folder: string
  /** The files that the tarball brought. */
  files: string[]
}

/** Packs the SDK and what it depends on as they are here, so that nothing is fetched, and installs the tarballs. */
export async function createScratch(files: Record<string, string>): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-package-'))
  const flags = ['--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund']
  await run(
    'npm',
    [
      'pack',
      ...flags,
      '--pack-destination',
      folder,
      './packages/sdk',
      ...packages.map((name) => `./${name}`),
    ],
    { cwd: root },
  )
  const tarballs = (await readdir(folder)).map((name) => `file:./${name}`)
  const nameOf = (tarball: string) =>
    tarball.replace(/^file:\.\/(wigwag-)?(.*)-\d+\.\d+\.\d+.*$/, (_, scope, name) =>
      scope ? `@wigwag/${name}` : name,
    )
  const dependencies = Object.fromEntries(tarballs.map((tarball) => [nameOf(tarball), tarball]))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'scratch', private: true, dependencies }),
  )
  await run('npm', ['install', ...flags, '--offline'], { cwd: folder })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return {
    folder,
    files: await readdir(join(folder, 'node_modules/@wigwag/sdk'), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The complaints of a compiler, by default this repository's, about some files of a folder. */
export async function complaints(
  folder: string,
  files: string[],
  options: Record<string, unknown>,
  tsc = join(root, 'node_modules/typescript/bin/tsc'),
): Promise<string> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    ...options,
  }
  const config = join(folder, 'tsconfig.json')
  await writeFile(config, JSON.stringify({ compilerOptions, files }))
  return run(process.execPath, [tsc, '-p', config]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => String(stdout),
  )
}
