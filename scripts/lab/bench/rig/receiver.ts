/**
 * A receiver of callbacks, in a process of its own: answers each with 200, at once or after as many milliseconds as it is
 * told, and counts them. `GET /counted` says what it counted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Server, startServer } from './processes.ts'
import { serveRaw } from './raw-server.ts'

/** Counts of a receiver of callbacks. */
export interface Told {
  /** Callbacks, each once. */
  told: number
  /** Callbacks that were posted again. */
  twice: number
}

export interface Receiver extends Server {
  url: string
  counted(): Promise<Told>
}

/** Starts a receiver that answers each callback after a while. */
export async function startReceiver(folder: string, afterMs = 0): Promise<Receiver> {
  const server = await startServer(import.meta.filename, [String(afterMs)], {}, folder)
  const url = `http://127.0.0.1:${server.port}/`
  return { ...server, url, counted: async () => (await fetch(`${url}counted`)).json() as Promise<Told> }
}

function receive(afterMs: number): void {
  const ids = new Set<string>()
  const counted: Told = { told: 0, twice: 0 }

  function count(id: string | undefined): void {
    // A short text does not keep the whole request in memory.
    const short = id?.slice(-12)
    if (short !== undefined && ids.has(short)) counted.twice++
    else counted.told++
    if (short !== undefined) ids.add(short)
  }

  serveRaw(async (head, answer) => {
    if (head.startsWith('GET /counted ')) {
      answer(ok(JSON.stringify(counted)))
      return
    }
    count(/webhook-id: (\S+)/i.exec(head)?.[1])
    if (afterMs > 0) await pause(afterMs)
    answer(ok('{}'))
  })
}

function ok(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

if (import.meta.main) receive(Number(process.argv[2]))
