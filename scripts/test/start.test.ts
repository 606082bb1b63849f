import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import root from '../../package.json' with { type: 'json' }
import server from '../../packages/server/package.json' with { type: 'json' }

interface Entry {
  dev?: boolean
  link?: boolean
  os?: string[]
  cpu?: string[]
}

it('a first start installs these packages; a new one is a newcomer who waits longer', async () => {
  const lock: { packages: Record<string, Entry> } = JSON.parse(
    await readFile(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
  )
  const installed = Object.entries(lock.packages).filter(
    ([place, entry]) =>
      place.includes('node_modules/') && !entry.dev && !entry.link && !entry.os && !entry.cpu,
  )
  const names = installed.map(([place]) =>
    place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
  )
  await expect(`${[...new Set(names)].sort().join('\n')}\n`).toMatchFileSnapshot('start-installs.txt')
})

it('a start also installs what the build bundles, in the versions that the server declares', () => {
  const bundled = Object.entries(server.devDependencies).filter(([name]) => !/^@(types|wigwag)\//.test(name))
  expect(bundled.length).toBeGreaterThan(5)
  expect(root.dependencies).toMatchObject(Object.fromEntries(bundled))
})
