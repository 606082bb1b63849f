import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import * as z from 'zod'

const require = createRequire(import.meta.url)
const program = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** The inspector's documented exit codes, as far as the connector can cause them. */
export const EXIT = { ok: 0, signIn: 3, unreachable: 4, toolError: 5 } as const

export interface Inspection {
  /** How to reach the server: its URL, or a command and its arguments. */
  target: readonly string[]
  /** Settings of the server when it is started by a command. */
  env?: Readonly<Record<string, string>>
  /** The home folder of the inspector. */
  home: string
  method: 'tools/list' | 'tools/call'
  tool?: string
  args?: Readonly<Record<string, unknown>>
}

const listed = z.object({
  tools: z.array(z.object({ name: z.string(), annotations: z.record(z.string(), z.unknown()).optional() })),
})
const called = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})
const printed = z.object({ result: z.union([listed, called]) })

export interface Finding {
  code: number
  /** Names of the tools, after `tools/list`. */
  tools: string[]
  /** The answer of a tool, as data and as text. */
  structured: Record<string, unknown>
  text: string
  /** The whole output, to explain a failure. */
  said: string
}

/** One run of the official inspector's command line: it connects, makes one request and exits. */
export function inspect({ target, env = {}, home, method, tool, args = {} }: Inspection): Promise<Finding> {
  const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const call = tool === undefined ? [] : ['--tool-name', tool, '--tool-args-json', JSON.stringify(args)]
  // With --strict, a schema that some client would not understand is an error too.
  const strict = method === 'tools/list' ? ['--strict'] : []
  const asked = ['--method', method, ...strict, ...call, '--format', 'json']
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const options = { env: { PATH, HOME: home, NODE_COMPILE_CACHE }, timeout: 300_000 }
  return new Promise((resolve, reject) => {
    const words = [program, '--cli', ...target, ...settings, ...asked]
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') return reject(error)
      resolve({ code: Number(error?.code ?? 0), ...understand(stdout), said: `${stdout}${stderr}` })
    })
  })
}

/** A run that failed to connect prints no result. */
function understand(stdout: string): Pick<Finding, 'tools' | 'structured' | 'text'> {
  const nothing = { tools: [], structured: {}, text: '' }
  if (stdout.trim() === '') return nothing
  const { result } = printed.parse(JSON.parse(stdout))
  if ('tools' in result) return { ...nothing, tools: result.tools.map(({ name }) => name) }
  const text = result.content.flatMap(({ text }) => text ?? []).join('\n')
  return { ...nothing, structured: result.structuredContent ?? {}, text }
}
