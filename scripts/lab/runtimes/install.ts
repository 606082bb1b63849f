import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
const folder = join(root, '.cache', 'runtimes')
const modules = join(folder, 'node_modules')
const platform = process.platform === 'win32' ? 'win' : process.platform

/** The version of a package that the checkout has. */
function readOwn(name: string): string {
  return versionOf(name, join(root, 'node_modules'))
}

/** Packages that the checkout lacks, by the name that they are installed under. */
const wanted = {
  node20: `npm:node-${platform}-${process.arch}@20`,
  node22: `npm:node-${platform}-${process.arch}@22`,
  bun: '^1.2.0',
  deno: '^2.3.0',
  workerd: '^1.20250601.0',
  typescript54: 'npm:typescript@5.4',
  'typescript-newest': 'npm:typescript@latest',
  jest: '^30.0.0',
  '@playwright/test': readOwn('playwright-core'),
  twilio: '^6.0.0',
  '@vonage/auth': '^1.12.0',
  '@vonage/sms': '^1.20.0',
  resend: '^6.0.0',
}

/** Installs what is missing. */
export function install(): void {
  installInto(folder, wanted)
}

/** Installs packages beside the checkout, without running their scripts. */
export function installInto(place: string, dependencies: Record<string, string>): void {
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const flags = ['--no-package-lock', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: place, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** The place of a file in what was installed. */
export function installed(...path: string[]): string {
  return join(modules, ...path)
}

export function versionOf(name: string, place = modules): string {
  return JSON.parse(readFileSync(join(place, name, 'package.json'), 'utf8')).version
}
