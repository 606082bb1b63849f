/** Each engine serves one program, which sends, waits and receives the callback of what it sent. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { startGateway } from '../../../packages/server/test/support/gateway-process.ts'
import { type Idea, type Row, row } from './idea.ts'
import { installed, versionOf } from './install.ts'

const program = `
import { callbackHandler, createClient, signCallback, ValidationError } from '@wigwag/sdk'

export function createApp(env) {
  const received = []
  const receive = callbackHandler(env.WIGWAG_CALLBACK_SECRET, (payload) => { received.push(payload) })
  const sms = createClient({
    baseUrl: env.WIGWAG_BASE_URL,
    clientId: env.WIGWAG_CLIENT_ID,
    clientSecret: env.WIGWAG_CLIENT_SECRET,
    walletToken: env.WIGWAG_WALLET_TOKEN,
  })
  async function tell(request) {
    const { pathname, origin } = new URL(request.url)
    if (pathname === '/callbacks') return receive(request)
    if (pathname !== '/run') return new Response()
    const CallbackUrl = origin.replace('localhost', '127.0.0.1') + '/callbacks'
    const sent = await sms.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl })
    const final = await sms.waitForFinal(sent.Ticket, { timeout: 20_000 })
    for (let tries = 0; tries < 200 && received.length === 0; tries++) await new Promise((done) => setTimeout(done, 50))
    const headers = await signCallback('{}', 'whsec_Zm9yZ2Vk')
    const forgery = await receive(new Request(CallbackUrl, { method: 'POST', headers: { ...headers }, body: '{}' }))
    const refused = await sms.sendSms({ From: 'WIGWAG', To: 'nobody', Content: 'Hello' }).catch((error) => error)
    return Response.json({
      final: final.Status,
      received: received.length > 0 && received.every(({ Ticket }) => Ticket === sent.Ticket),
      forgery: forgery.status,
      refused: refused instanceof ValidationError && refused.code,
    })
  }
  // An error becomes the answer, since the table shows it.
  return (request) => tell(request).catch((error) => new Response(String(error.stack), { status: 500 }))
}
`

const hosts = {
  'node.mjs': `
import { createServer } from 'node:http'
import { toNodeHandler } from '@wigwag/sdk'
import { createApp } from './program.mjs'
const { env } = process
createServer((request, response) => {
  const app = createApp.once ??= createApp(env)
  return toNodeHandler((web) => app(new Request(new URL(request.url, 'http://127.0.0.1:' + env.PORT), web)))(request, response)
}).listen(env.PORT, '127.0.0.1')`,
  'bun.mjs': `
import { createApp } from './program.mjs'
Bun.serve({ port: process.env.PORT, hostname: '127.0.0.1', fetch: createApp(process.env) })`,
  'deno.mjs': `
import { createApp } from './program.mjs'
Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, createApp(Deno.env.toObject()))`,
  'worker.mjs': `
import { createApp } from './program.mjs'
let app
export default { fetch: (request, env) => (app ??= createApp(env))(request) }`,
}

const does = 'sends, waits, receives'
const expected = { final: 'success', received: true, forgery: 401, refused: 'invalid_recipient' }

interface Engine {
  what: string
  version: string
  /** The command that serves the program. */
  command(folder: string, env: Record<string, string>): Promise<string[]>
}

const node = (version: string, path: string): Engine => ({
  what: 'Node',
  version,
  command: async () => [path, 'node.mjs'],
})

/** Where a package for this platform has its program. The packages' own commands need an install script. */
function binary(name: 'bun' | 'deno' | 'workerd'): string {
  const { platform, arch } = process
  const exe = platform === 'win32' ? '.exe' : ''
  const cpu = arch === 'x64' ? '64' : arch
  return {
    bun: installed('@oven', `bun-${exe ? 'windows' : platform}-${arch}`, 'bin', `bun${exe}`),
    deno: installed('@deno', `${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, `deno${exe}`),
    workerd: installed('@cloudflare', `workerd-${exe ? 'windows' : platform}-${cpu}`, 'bin', `workerd${exe}`),
  }[name]
}

function all(): Engine[] {
  const permissions = ['--allow-net', '--allow-env', '--allow-read']
  const deno = [binary('deno'), 'run', ...permissions, '--node-modules-dir=manual', 'deno.mjs']
  return [
    node(versionOf('node20'), installed('node20', 'bin', 'node')),
    node(versionOf('node22'), installed('node22', 'bin', 'node')),
    node(process.versions.node, process.execPath),
    { what: 'Bun', version: versionOf('bun'), command: async () => [binary('bun'), 'bun.mjs'] },
    { what: 'Deno', version: versionOf('deno'), command: async () => deno },
    { what: 'workerd', version: versionOf('workerd'), command: serveWorker },
  ]
}

/** Workers are bundled, and get their settings from the configuration. */
async function serveWorker(folder: string, env: Record<string, string>): Promise<string[]> {
  await build({
    config: false,
    entry: { bundle: join(folder, 'worker.mjs') },
    outDir: folder,
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    platform: 'neutral',
    noExternal: [/./],
    dts: false,
    silent: true,
  })
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  )
  const config = join(folder, 'worker.capnp')
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "bundle.mjs")],
      compatibilityDate = "2025-06-01",
      bindings = [${bindings.join(', ')}],
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${env.PORT}", http = (), service = "main")],
);
`,
  )
  return [binary('workerd'), 'serve', config]
}

async function serve(engine: Engine, folder: string, settings: Record<string, string>): Promise<void> {
  const port = await freePort()
  const env = { ...settings, PORT: String(port) }
  const [command = '', ...args] = await engine.command(folder, env)
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.on('error', (error) => (said += error))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  try {
    await listening(child, port)
    const answer = await fetch(`http://127.0.0.1:${port}/run`)
    const text = await answer.text()
    if (text !== JSON.stringify(expected))
      throw new Error(`Expected ${JSON.stringify(expected)}; got ${text}`)
  } catch (error) {
    throw new Error(`${error}\n${said}`)
  } finally {
    if (child.kill('SIGKILL')) await once(child, 'exit')
  }
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (answers) return
    if (child.exitCode !== null || child.pid === undefined) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('It does not listen.')
}

export const engines: Idea = {
  files: { 'program.mjs': program, ...hosts },
  async run(folder) {
    const data = await mkdtemp(join(tmpdir(), 'wigwag-engines-'))
    const gateway = await startGateway(data)
    try {
      const rows: Row[] = []
      for (const engine of all()) {
        const { what, version } = engine
        rows.push(await row({ what, version, does }, () => serve(engine, folder, gateway.exports)))
      }
      return rows
    } finally {
      await gateway.stop()
      await rm(data, { recursive: true, force: true })
    }
  },
}
