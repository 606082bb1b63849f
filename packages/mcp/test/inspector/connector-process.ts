import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The program as it was built. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface ConnectorProcess {
  /** Where it serves MCP. */
  url: string
  stop(): Promise<void>
}

/** Starts the connector over HTTP, in a new process and on a free port, with no other settings in its environment. */
export async function startConnector(env: Readonly<Record<string, string>>): Promise<ConnectorProcess> {
  if (!existsSync(MAIN)) throw new Error(`expected the built connector at ${MAIN}; run \`npm run build\``)
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [MAIN, '--http', '--port', '0', '--unprotected'], {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? []
      if (found) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the connector ended with ${code}:\n${said}`)))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
