import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** A part of a message, as the carrier wrote it down before it answered. */
export interface TakenPart {
  destination: string
  text: string
  part?: { number: number; of: number }
}

/** `wigwag smsc` in a separate process, which can be killed and started again on the same port. */
export interface CarrierProcess {
  port: number
  /** Starts it with these flags. Ends the previous one if it still runs. */
  start(flags: readonly string[]): Promise<void>
  kill(): Promise<void>
  /** Everything that it has taken since its first start. A file keeps it, since writes to a file are synchronous. */
  taken(): TakenPart[]
}

export async function openCarrier(folder: string): Promise<CarrierProcess> {
  const port = await freePort()
  const file = join(folder, 'taken.jsonl')
  let kill = async () => {}

  return {
    port,
    async start(flags) {
      await kill()
      const out = openSync(file, 'a')
      const args = [MAIN, 'smsc', '--port', String(port), '--json', ...flags]
      const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', out, 'pipe'] })
      closeSync(out)
      const ended = once(child, 'exit')
      kill = async () => {
        child.kill('SIGKILL')
        await ended
      }
      let said = ''
      await new Promise<void>((resolve, reject) => {
        child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk
          if (said.includes('WIGWAG_CARRIER=')) resolve()
        })
        child.once('exit', (code) => reject(new Error(`the carrier ended with ${code}:\n${said}`)))
      })
    },
    kill: () => kill(),
    taken: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line): TakenPart[] => (line.endsWith('}') ? [JSON.parse(line)] : [])),
  }
}
