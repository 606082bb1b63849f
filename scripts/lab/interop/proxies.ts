import { deepStrictEqual as equal } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import pg from 'pg'
import { createPerson } from '../../../packages/server/test/assistants/oauth/person.ts'
import { listenTo } from '../../../packages/server/test/console/live/listening.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { type BenchDatabase, checkBooks, startEngines } from '../bench/rig/database.ts'
import { MAIN } from '../bench/rig/gateways.ts'
import { demoHeaders } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { send, startLoad } from './load.ts'
import { type Program, startProgram } from './program.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
/** A live page is told of a message within half a second if nothing holds it back. */
const LIVE_MS = 2_000

interface Place {
  folder: string
  port: number
  /** For plain HTTP. */
  plainPort: number
  gateways: readonly number[]
  cert: string
  key: string
}

/** The files in `deploy/` with the addresses of this machine in place of those to fill in. */
const proxies = {
  async nginx({ folder, port, plainPort, gateways, cert, key }: Place): Promise<Program> {
    let site = await readFile(join(DEPLOY, 'nginx', 'wigwag.conf'), 'utf8')
    const fill: [string, string][] = [
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['listen 80', `listen 127.0.0.1:${plainPort}`],
      ['127.0.0.1:8091', `127.0.0.1:${gateways[0]}`],
      ['127.0.0.1:8092', `127.0.0.1:${gateways[1]}`],
      ['/etc/wigwag/tls/fullchain.pem', cert],
      ['/etc/wigwag/tls/privkey.pem', key],
    ]
    for (const [from, to] of fill) {
      if (!site.includes(from)) throw new Error(`wigwag.conf does not hold ${from}`)
      site = site.replace(from, to)
    }
    const config = join(folder, 'nginx.conf')
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join('\n')
    await writeFile(
      config,
      `daemon off;\npid ${join(folder, 'nginx.pid')};\nerror_log stderr warn;\nworker_processes 2;\nevents {}\n` +
        `http {\naccess_log off;\n${paths}\n${site}}\n`,
    )
    return startProgram('nginx', ['-c', config, '-e', 'stderr'], {
      cwd: folder,
      missing: 'Install nginx: apt-get install nginx-light',
    })
  },

  async caddy({ folder, port, gateways, cert, key }: Place): Promise<Program> {
    const site = await readFile(join(DEPLOY, 'caddy', 'Caddyfile'), 'utf8')
    const own = site.replace('\trequest_body', `\ttls ${cert} ${key}\n\trequest_body`)
    const config = join(folder, 'Caddyfile')
    await writeFile(config, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${own}`)
    return startProgram('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
      cwd: folder,
      env: {
        HOME: folder,
        WIGWAG_PUBLIC_URL: `https://localhost:${port}`,
        WIGWAG_GATEWAYS: gateways.map((each) => `127.0.0.1:${each}`).join(' '),
      },
      missing: 'Install Caddy: apt-get install caddy',
    })
  },
}

/** Two gateways on one PostgreSQL behind a proxy, each restarted while messages are sent. */
export function behind(name: keyof typeof proxies) {
  return async (folder: string, check: Check): Promise<void> => {
    const engines = await startEngines(folder, ['postgres'])
    const database = await engines.make('postgres', `behind_${name}`)
    const [port, plainPort, one, two] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const url = `https://localhost:${port}`
    const start = (own: number) => startGateway(folder, own, database, url)
    const gateways = new Map([
      [one, await start(one)],
      [two, await start(two)],
    ])
    const place = { folder, port, plainPort, gateways: [one, two], ...makeCertificate(folder) }
    const proxy = await proxies[name](place)
    await pause(1_000)
    if (proxy.lines().some((line) => /emerg|Error:/.test(line))) throw new Error(proxy.lines().join('\n'))
    const said = [...gateways.values()].flatMap((gateway) => gateway.lines()).join('\n')
    const headers = demoHeaders({ said })

    await check('passes pieces of a live page on as they come', () => watchLive(url, said, headers))
    await check('passes /mcp on', () => callConnector(url, headers))
    await check('restarts each gateway under load: no request fails, no message is doubled', async () => {
      const load = startLoad(url, headers)
      for (const [own, gateway] of gateways) {
        await pause(1_500)
        await gateway.stop()
        await pause(500)
        gateways.set(own, await start(own))
      }
      await pause(2_000)
      const { sent, failed } = await load.stop()
      equal(failed, [])
      if (sent < 200) throw new Error(`expected at least 200 sends, got ${sent}`)
      equal(load.tickets.size, sent)
      equal(await countMessages(database), { messages: sent + 1, references: sent + 1 })
      checkBooks(database.url)
      console.log(`          ${sent} sends`)
    })

    await proxy.stop()
    await Promise.all([...gateways.values()].map((gateway) => gateway.stop()))
    await engines.stop()
  }
}

async function startGateway(folder: string, port: number, { url }: BenchDatabase, publicUrl: string) {
  const gateway = await startProgram(process.execPath, [MAIN, 'serve', '--port', String(port)], {
    cwd: folder,
    env: {
      WIGWAG_DATABASE_URL: url,
      WIGWAG_PUBLIC_URL: publicUrl,
      WIGWAG_TRUSTED_PROXIES: '127.0.0.1/32',
      WIGWAG_DEMO_BALANCE: '100000',
      WIGWAG_SIMULATOR_DELAY_MS: '50',
      WIGWAG_POSTGRES_CONNECTIONS: '6',
      WIGWAG_STOP_DELAY_MS: '3000',
    },
  })
  await gateway.line(/Stop with Ctrl-C/)
  return gateway
}

function makeCertificate(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...made, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(cert, 'utf8')])
  return { cert, key }
}

async function countMessages({ url }: BenchDatabase): Promise<object> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    'SELECT count(*)::int AS messages, count(DISTINCT reference)::int AS "references" FROM messages',
  )
  await client.end()
  return rows[0]
}

async function watchLive(url: string, said: string, headers: Record<string, string>): Promise<void> {
  const [, email = '', password = ''] = /with (\S+) and the password (\S+)/.exec(said) ?? []
  const person = createPerson()
  await person.submit(await person.visit(`${url}/sign-in`), { email, password })
  const stream = await listenTo(url, person)
  await stream.heard('purse')
  const began = performance.now()
  await send(url, headers, 'live')
  await stream.heard('row')
  const took = performance.now() - began
  await stream.close()
  if (took > LIVE_MS) throw new Error(`the page heard of a message after ${Math.round(took)} ms`)
}

async function callConnector(url: string, headers: Record<string, string>): Promise<void> {
  const client = { name: 'interop', version: '1' }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client },
    }),
  })
  const text = await response.text()
  if (!response.ok || !text.includes('"serverInfo"'))
    throw new Error(`${response.status}: ${text.slice(0, 300)}`)
}
