/**
 * A project of somebody's that the guides are followed in: the packages as npm would install them, and everything else from
 * where it is installed already, so that nothing is fetched.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../packages/server/test/support/free-port.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Packs the packages and unpacks them in `place/node_modules`, beside what they need. Returns the tarballs. */
export async function installPacked(place: string): Promise<string[]> {
  const packed = join(place, 'packed')
  const env = { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error' }
  await run(process.execPath, [join(root, 'scripts/pack.ts'), packed], { cwd: root, env })
  const tarballs = await readdir(packed)
  const scope = join(place, 'node_modules/@wigwag')
  await mkdir(scope, { recursive: true })
  for (const tarball of tarballs) {
    const [, name = ''] = /^wigwag-(\w+)/.exec(tarball) ?? []
    await run('tar', ['-xzf', join(packed, tarball)], { cwd: scope })
    await rename(join(scope, 'package'), join(scope, name))
    const own = join(root, 'packages', name, 'node_modules')
    if (existsSync(own)) await symlink(own, join(scope, name, 'node_modules'), 'junction')
  }
  await linkAll(join(root, 'node_modules'), place)
  return tarballs
}

/** Makes the packages that `npm install` finds in the project of a guide; `others` are more folders of modules. */
export async function createStore(place: string, others: readonly string[] = []): Promise<string> {
  await installPacked(place)
  for (const other of others) await linkAll(other, place)
  return place
}

async function linkAll(modules: string, place: string): Promise<void> {
  const there = join(place, 'node_modules')
  for (const name of await readdir(modules))
    if (name !== '@wigwag' && !name.startsWith('.') && !existsSync(join(there, name)))
      await symlink(join(modules, name), join(there, name), 'junction')
}

/** Puts `npm` and this Node before those of the machine. `npm install` links from the store. */
export async function projectSurroundings(
  bin: string,
  store: string | undefined,
): Promise<Record<string, string>> {
  if (store === undefined) throw new Error('expected a store for the project of this page')
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'npm'))
  const npm = places.find((place) => existsSync(place))
  if (!npm) throw new Error('expected npm in PATH')
  await symlink(process.execPath, join(bin, 'node'))
  // The machine may be a slow one; the five seconds that runners give a test are not what is tried.
  for (const [runner, config] of [
    ['vitest', '{ test: { testTimeout: 600_000 } }'],
    ['jest', '{ testTimeout: 600_000 }'],
  ])
    await writeFile(join(bin, `../${runner}.config.mjs`), `export default ${config}\n`)
  const install = join(import.meta.dirname, 'npm-install.ts')
  await writeFile(
    join(bin, 'npm'),
    `#!/bin/sh\ncase "$1" in\n  install) exec node '${install}' "$@" ;;\n  ci) exit 0 ;;\nesac\nexec '${npm}' "$@"\n`,
  )
  await chmod(join(bin, 'npm'), 0o755)
  return {
    PAGE_STORE: store,
    WIGWAG_OPERATOR_PORT: String(await freePort()),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}

const FOR_CI = /^\.github\/workflows\/|^\.gitlab-ci\.yml$/

/** The commands that write a file of a page. One for a CI server is then run as that server would. */
export function asFile(file: string, text: string): string {
  const end = 'END OF THE FILE'
  return [
    `mkdir -p '${dirname(file)}'`,
    `cat >'${file}' <<'${end}'\n${text}${end}`,
    ...(FOR_CI.test(file) ? [`node '${join(import.meta.dirname, 'run-ci.ts')}' '${file}'`] : []),
  ].join('\n')
}
