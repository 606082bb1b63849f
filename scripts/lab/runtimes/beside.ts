/** The SDK beside five others: how long an import takes, what a bundle weighs, and how many packages each brings. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { run } from '../../../packages/sdk/test/package/scratch.ts'
import { type Idea, type Row, row } from './idea.ts'
import { root, versionOf } from './install.ts'

/** How each is imported and a client is made. */
const others: Record<string, string> = {
  twilio: "import twilio from 'twilio'; twilio('AC00000000000000000000000000000000', 'x')",
  resend: "import { Resend } from 'resend'; new Resend('re_x')",
  stripe: "import Stripe from 'stripe'; new Stripe('sk_x')",
  '@vonage/server-sdk':
    "import { Vonage } from '@vonage/server-sdk'; new Vonage({ apiKey: 'x', apiSecret: 'y' })",
  telnyx: "import Telnyx from 'telnyx'; new Telnyx({ apiKey: 'KEY_x' })",
}
const OURS = '@wigwag/sdk'
const ours = `import { createClient } from '${OURS}'; createClient({ baseUrl: 'https://sms.example', accessToken: 'x' })`

interface Figures {
  importMs: number
  gzipBytes: number
  packages: number
}

export const beside: Idea = {
  files: {},
  async run(folder) {
    // It comes with the packed SDK for other ideas; who installs the SDK does not get it.
    await rm(join(folder, 'node_modules', 'undici'), { recursive: true })
    const own = await measured(folder, ours)
    const rows: Row[] = [
      await row(line(OURS, versionOf(OURS, join(folder, 'node_modules')), own), async () => {}),
    ]
    for (const [name, code] of Object.entries(others)) {
      const place = installedAlone(name)
      const other = await measured(place, code)
      rows.push(
        await row(line(name, versionOf(name, join(place, 'node_modules')), other), async () => {
          if (own.gzipBytes < other.gzipBytes && own.importMs < other.importMs) return
          throw new Error('Expected the SDK to be smaller and quicker to import than each other one.')
        }),
      )
    }
    return rows
  },
}

function line(
  what: string,
  version: string,
  { importMs, gzipBytes, packages }: Figures,
): Omit<Row, 'problem'> {
  const size = (gzipBytes / 1000).toFixed(1)
  return {
    what,
    version,
    does: `import ${importMs.toFixed(0)} ms, bundle ${size} kB gzip, ${packages} packages`,
  }
}

/** A folder that has one library and what it depends on. */
function installedAlone(name: string): string {
  const place = join(root, '.cache', 'runtimes', 'beside', name.replace('/', '+'))
  if (existsSync(join(place, 'node_modules'))) return place
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true }))
  const flags = ['--no-package-lock', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...flags, name], { cwd: place, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm could not install ${name}.`)
  return place
}

async function measured(folder: string, code: string): Promise<Figures> {
  const program = join(folder, 'beside.mjs')
  writeFileSync(program, code)
  const timed = join(folder, 'beside-timed.mjs')
  writeFileSync(
    timed,
    "const from = performance.now(); await import('./beside.mjs'); console.log(performance.now() - from)",
  )
  const times: number[] = []
  for (let nth = 0; nth < 9; nth++) {
    times.push(Number((await run(process.execPath, [timed], { cwd: folder })).stdout))
  }
  const { outputFiles } = await build({
    entryPoints: [program],
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'error',
  })
  return {
    importMs: times.toSorted((a, b) => a - b)[4] ?? Number.NaN,
    gzipBytes: outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0),
    packages: packagesIn(join(folder, 'node_modules')),
  }
}

/** Counts installed packages, nested ones too. */
function packagesIn(modules: string): number {
  if (!existsSync(modules)) return 0
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
  const folders = names.flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
      : join(modules, name),
  )
  return folders.reduce((sum, folder) => sum + 1 + packagesIn(join(folder, 'node_modules')), 0)
}
