import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface GatewayProcess {
  /** Environment variables from its banner: the base URL and the demo account's credentials. */
  exports: Record<string, string>
  stop(): Promise<void>
  /** Ends it without a word, as a power cut would. */
  kill(): Promise<void>
}

/** Starts the built gateway as a person would, on any free port, and reads its banner. */
export async function startGateway(
  folder: string,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const main = join(import.meta.dirname, '../../dist/main.js')
  const child = spawn(process.execPath, [main, 'serve', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}:\n${said}`)))
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('Stop with Ctrl-C')) resolve()
    })
  })
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      if (!child.kill(signal)) resolve()
    })
  return {
    exports: Object.fromEntries(
      [...said.matchAll(/export (\w+)='?([^'\s]+)'?/g)].map(([, name = '', value]) => [name, value ?? '']),
    ),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
