import { join } from 'node:path'
import { type Server, startServer } from './processes.ts'

/** What a receiver of callbacks got. */
export interface Told {
  /** Callbacks, each once. */
  told: number
  /** Those that were posted again. */
  twice: number
}

export interface Receiver extends Server {
  url: string
  counted(): Promise<Told>
}

/** Starts a receiver that answers each callback after a while. */
export async function startReceiver(folder: string, afterMs = 0): Promise<Receiver> {
  const server = await startServer(join(import.meta.dirname, 'receiving.ts'), [String(afterMs)], {}, folder)
  const url = `http://127.0.0.1:${server.port}/`
  return { ...server, url, counted: async () => (await fetch(`${url}counted`)).json() as Promise<Told> }
}
