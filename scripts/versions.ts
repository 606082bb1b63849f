/**
 * Prepares a release: turns the changes that wait in .changeset into versions and changelogs, everywhere a version is
 * written. The first one is described in CHANGELOG.md, with the version that is there.
 *
 *   node scripts/setup.mjs install -- node scripts/versions.ts
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isReleased, releaseFirst } from './first-release.ts'
import { versionFile, versionOf } from './generate/version.ts'

const root = join(import.meta.dirname, '..')
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit' })

if (isReleased(root)) run('npx', 'changeset', 'version')
else releaseFirst(root)

const { version } = JSON.parse(readFileSync(join(root, 'packages/mcp/package.json'), 'utf8'))
const listing = join(root, 'packages/mcp/server.json')
const listed = readFileSync(listing, 'utf8').replaceAll(/"version": "[^"]+"/g, `"version": "${version}"`)
writeFileSync(listing, listed)
writeFileSync(join(root, versionFile), versionOf(root))

for (const file of globSync('packages/*/AGENTS.md', { cwd: root })) {
  const text = readFileSync(join(root, file), 'utf8').replace(
    /^Version \d+\.\d+\.\d+\./m,
    `Version ${version}.`,
  )
  writeFileSync(join(root, file), text)
}

for (const file of globSync('examples/*/package.json', { cwd: root })) {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(
    /("@wigwag\/\w+": ")\^[^"]+/g,
    `$1^${version}`,
  )
  writeFileSync(join(root, file), text)
}

run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
