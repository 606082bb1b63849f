import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chaos } from '../../../server/test/support/random.ts'
import { BulkGateway, list, numbers } from '../bulk-gateway.ts'
import { GET } from '../fault-server.ts'

const KILLS = 5
const random = chaos()

let folder: string
let file: string
let gateway: BulkGateway
let server: Server
let child: ChildProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wigwag-bulk-'))
  file = join(folder, 'checkpoint.json')
  await writeFile(file, '')
  gateway = new BulkGateway()
  server = createServer(async (request, response) => {
    const headers = { 'idempotency-key': String(request.headers['idempotency-key']) }
    const body = await text(request)
    const answer = await gateway.fetch('http://gateway.test', { ...GET, method: 'POST', headers, body })
    // Some are killed between the gateway's decision and its answer.
    await pause(random.from(0, 10))
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

function run(count: number, content: string): ChildProcess {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const program = join(import.meta.dirname, 'bulk.ts')
  child = spawn(process.execPath, [program, baseUrl, file, String(count), content], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return child
}

/** Until some more requests have come, and then any instant. */
async function anyInstant(process: ChildProcess): Promise<void> {
  const enough = gateway.requests.length + random.from(1, 12)
  while (gateway.requests.length < enough && process.exitCode === null) await pause(1)
  await pause(random.from(0, 8))
}

describe('a bulk whose process is killed', () => {
  it.each([
    ['one text', 1500, 'Open at nine'],
    ['a text for each', 240, 'Dear {Reference}'],
  ])(
    `reaches everyone exactly once with %s, through ${KILLS} kills at any instant`,
    async (_, count, content) => {
      for (let kill = 0; kill < KILLS; kill++) {
        const process = run(count, content)
        const ended = once(process, 'exit')
        await anyInstant(process)
        process.kill('SIGKILL')
        expect(await ended).toEqual([null, 'SIGKILL'])
      }
      const { stdout } = run(count, content)
      expect(JSON.parse(stdout ? await text(stdout) : '')).toEqual({ error: null, uncertain: 0 })
      expect(gateway.out.toSorted()).toEqual(numbers(list(count)))
    },
  )
})
