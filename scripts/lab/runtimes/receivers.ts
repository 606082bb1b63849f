/**
 * Runs the receivers of the SDK's README that need a framework of many megabytes: a built route of Next, and a controller
 * of Nest. They are installed into .cache/receivers, with the packed SDK.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { signCallback } from '../../../packages/sdk/src/index.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { type Idea, row } from './idea.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, '.cache', 'receivers')
const secret = 'whsec_c2VjcmV0'
const READY_MS = 60_000
const FRAMEWORKS = {
  next: ['next@16', 'react@19', 'react-dom@19'],
  nest: ['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata', 'rxjs@7'],
}

const snippets = [
  ...readFileSync(join(root, 'packages/sdk/README.md'), 'utf8').matchAll(
    /^```(?:ts|typescript)\n([\s\S]*?)^```/gm,
  ),
].map(([, code = '']) => code)

/** The piece of the README with some text in it, as JavaScript. */
function snippetWith(text: string): string {
  const code = snippets.find((snippet) => snippet.includes(text))
  if (code === undefined) throw new Error(`Expected a piece of the README with ${text}; there is none.`)
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
    rewriteRelativeImportExtensions: true,
  }
  return ts.transpileModule(code, { compilerOptions }).outputText
}

/** A project with the packed SDK and a framework. */
function install(name: keyof typeof FRAMEWORKS, files: Record<string, string>): string {
  const place = join(folder, name)
  for (const built of ['app', '.next']) rmSync(join(place, built), { recursive: true, force: true })
  mkdirSync(join(place, 'app/callbacks'), { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
  const flags = ['--no-audit', '--no-fund', '--loglevel=error']
  npm(place, ['pack', ...flags, '--pack-destination', place, join(root, 'packages/sdk')])
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'))
  const packages = [`./wigwag-sdk-${version}.tgz`, ...FRAMEWORKS[name]]
  npm(place, ['install', ...flags, '--no-save', '--no-package-lock', ...packages])
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  return place
}

function npm(cwd: string, args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

function start(cwd: string, args: string[], port: number): ChildProcess {
  const env = { ...process.env, PORT: String(port), WIGWAG_CALLBACK_SECRET: secret }
  return spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function statusOf(port: number, key: string): Promise<number> {
  const body = JSON.stringify({
    ClientReference: 'order-1042',
    Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
    Destination: '233241234567',
    Cost: 0.045,
    BalanceBefore: 100,
    BalanceAfter: 99.955,
    Status: 'success',
  })
  const headers = { 'content-type': 'application/json', ...(await signCallback(body, key)) }
  const { status } = await fetch(`http://127.0.0.1:${port}/callbacks`, { method: 'POST', headers, body })
  return status
}

/** Waits until a server answers, then posts a callback and a forgery. Throws unless it takes the one and not the other. */
async function check(name: string, cwd: string, args: string[]): Promise<void> {
  const port = await freePort()
  const server = start(cwd, args, port)
  try {
    const end = performance.now() + READY_MS
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    while (!(await answers())) {
      if (performance.now() > end || server.exitCode !== null) throw new Error(`${name} did not start.`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const [real, forged] = [await statusOf(port, secret), await statusOf(port, 'whsec_Zm9yZ2Vk')]
    if (real === 204 && forged === 401) return
    throw new Error(`Expected 204 to a callback and 401 to a forgery; got ${real} and ${forged}.`)
  } finally {
    server.kill()
  }
}

function buildNext(): string {
  const place = install('next', {
    'app/callbacks/route.js': snippetWith('export const POST'),
    'app/layout.js': 'export default ({ children }) => children\n',
  })
  // Without the secret: a build imports the route, and must not need it.
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', WIGWAG_CALLBACK_SECRET: undefined }
  execFileSync(process.execPath, [next, 'build'], { cwd: place, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return place
}

const next = 'node_modules/next/dist/bin/next'

function makeNest(): string {
  return install('nest', {
    'callbacks.js': snippetWith('// callbacks.ts'),
    'callbacks.controller.js': snippetWith('@nestjs/common'),
    'main.js': `import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { CallbacksController } from './callbacks.controller.js'
class AppModule {}
Module({ controllers: [CallbacksController] })(AppModule)
const app = await NestFactory.create(AppModule, { rawBody: true, logger: ['error'] })
await app.listen(process.env.PORT, '127.0.0.1')
`,
  })
}

const does = 'takes a callback and no forgery'

/** Each is installed in another folder, since frameworks find their packages beside them. */
export const receivers: Idea = {
  files: {},
  run: async () => [
    await row({ what: 'Next', version: '16', does }, () => check('Next', buildNext(), [next, 'start'])),
    await row({ what: 'Nest', version: 'newest', does }, () => check('Nest', makeNest(), ['main.js'])),
  ],
}
