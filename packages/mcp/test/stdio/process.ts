import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { serve } from '@hono/node-server'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox } from '../../../server/src/testing/index.ts'

/** The program as it was built. */
const MAIN = join(import.meta.dirname, '../../dist/main.js')
/** The one setting of this machine that reaches it; what it does is the same with and without. */
const { NODE_COMPILE_CACHE = '' } = process.env

export interface GatewayProcess {
  sandbox: Sandbox
  /** The credentials, as the program reads them. */
  env: Record<string, string>
}

/** A gateway that other processes reach. `before` stands in front of it. */
export async function openGateway(
  before: (request: Request, gateway: Sandbox['fetch']) => Promise<Response> = (request, gateway) =>
    gateway(request),
): Promise<GatewayProcess> {
  const sandbox = await createSandbox()
  const server = serve({ fetch: (request) => before(request, sandbox.fetch), hostname: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  onTestFinished(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
    await sandbox.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('expected a port')
  return {
    sandbox,
    env: {
      WIGWAG_BASE_URL: `http://127.0.0.1:${address.port}`,
      WIGWAG_CLIENT_ID: sandbox.credentials.clientId,
      WIGWAG_CLIENT_SECRET: sandbox.credentials.clientSecret,
      WIGWAG_WALLET_TOKEN: sandbox.credentials.walletToken,
    },
  }
}

/** A path in an empty folder, for the state of a test. */
export function freshState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state', 'sends.jsonl')
}

export interface Assistant {
  mcp: Client
  pid: number
  /** What the client could not understand. */
  errors: Error[]
  send(args: Record<string, unknown>): Promise<{ isError: boolean; text: string }>
}

/** Starts the program as an assistant's host does, and speaks to it with the library's own client. */
export async function startAssistant(env: Record<string, string>, args: string[] = []): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, ...args],
    env: { NODE_COMPILE_CACHE, ...env },
    stderr: 'ignore',
  })
  const mcp = new Client({ name: 'test', version: '1' })
  const errors: Error[] = []
  mcp.onerror = (error) => errors.push(error)
  await mcp.connect(transport)
  onTestFinished(() => mcp.close())
  if (transport.pid === null) throw new Error('expected a process')
  return {
    mcp,
    errors,
    pid: transport.pid,
    async send(args) {
      const { content, isError } = await mcp.callTool({ name: 'send_sms', arguments: args })
      const text = Array.isArray(content) ? content.map((part) => part.text).join('\n') : ''
      return { isError: isError === true, text }
    },
  }
}

export interface Program {
  child: ChildProcessWithoutNullStreams
  /** Writes a line and nothing else. */
  write(line: string): void
  /** The next line that it writes, read as JSON. */
  read(): Promise<Record<string, unknown>>
  /** Resolves when it has ended. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Starts the program without a client, line by line. */
export function startProgram(env: Record<string, string>, args: string[] = []): Program {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { NODE_COMPILE_CACHE, ...env } })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    write: (line) => child.stdin.write(`${line}\n`),
    async read() {
      return JSON.parse((await lines.next()).value ?? 'null')
    },
    ended: once(child, 'close').then(([code]) => ({ code, stdout, stderr })),
  }
}

/** Resolves with where the program says that it listens. */
export function listening({ child, ended }: Program): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text: string) => {
      const [found] = /http:\S+\/mcp/.exec(text) ?? []
      if (found) resolve(found)
    })
    ended.then(({ stderr }) => reject(new Error(stderr)))
  })
}
