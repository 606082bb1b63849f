import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import root from '../../package.json' with { type: 'json' }
import server from '../../packages/server/package.json' with { type: 'json' }

interface Entry {
  dev?: boolean
  peer?: boolean
  link?: boolean
  os?: string[]
  cpu?: string[]
}

it('a first start installs these packages, and Node where the machine has an older one', async () => {
  const lock: { packages: Record<string, Entry> } = JSON.parse(
    await readFile(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
  )
  const installed = Object.entries(lock.packages).filter(
    ([place, entry]) =>
      place.includes('node_modules/') &&
      ![entry.dev, entry.peer, entry.link, entry.os, entry.cpu].some(Boolean),
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
