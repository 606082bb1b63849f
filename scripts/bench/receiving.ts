/**
 * A receiver of callbacks, in its own process: answers each with 200, at once or after as many milliseconds as it is
 * told, and counts them. `GET /counted` says what it counted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { serveRaw } from './raw-server.ts'
import type { Told } from './receiver.ts'

const afterMs = Number(process.argv[2])
const ids = new Set<string>()
const counted: Told = { told: 0, twice: 0 }

function count(id: string | undefined): void {
  // A short text does not keep the whole request in memory.
  const short = id?.slice(-12)
  if (short !== undefined && ids.has(short)) counted.twice++
  else counted.told++
  if (short !== undefined) ids.add(short)
}

function ok(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
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
