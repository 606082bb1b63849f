import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { openHarness } from '../../support/harness.ts'
import { turns } from '../../support/turns.ts'
import { onSocket } from '../socket.ts'

const READY = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'
/** Eight are more than the machine keeps for a connection. */
const LARGE = new Uint8Array(4_000_000)

interface Client {
  socket: Socket
  heard(): string
  /** Whether the gateway ended the connection. */
  ended(): boolean
}

async function connected(): Promise<Client> {
  return connectTo(await onSocket(await openHarness()))
}

function connectTo({ hostname, port }: URL): Client {
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let heard = ''
  let ended = false
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    ended = true
  })
  return { socket, heard: () => heard, ended: () => ended }
}

const answersIn = (text: string) => text.split('HTTP/1.1 200').length - 1

describe('a connection', () => {
  it('may have 32 requests under way, again and again', async () => {
    const { socket, heard, ended } = await connected()
    for (const all of [32, 64]) {
      socket.write(READY.repeat(32))
      await eventually(`${all} answers`, () => answersIn(heard()) === all)
    }
    expect(ended()).toBe(false)
  })

  it('has its requests handled one after the other', async () => {
    const steps: string[] = []
    const fetch = async ({ url }: Request) => {
      const { pathname } = new URL(url)
      steps.push(`${pathname} begins`)
      await turns()
      steps.push(`${pathname} ends`)
      return new Response()
    }
    const { socket, heard } = connectTo(await onSocket({ ...(await openHarness()), app: { fetch } }))
    socket.write(
      ['a', 'b'].map((path) => `POST /${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`).join(''),
    )
    await eventually('two answers', () => answersIn(heard()) === 2)
    expect(steps).toEqual(['/a begins', '/a ends', '/b begins', '/b ends'])
  })

  it('ends when it has more requests under way', async () => {
    const { socket, ended } = await connected()
    socket.write(READY.repeat(33))
    await eventually('the gateway ends it', ended)
  })

  it('ends when its client reads nothing of its answers', async () => {
    const harness = await openHarness()
    let endedThere = false
    const fetch: typeof harness.app.fetch = (_, bindings) => {
      Object(bindings).incoming.socket.once('close', () => {
        endedThere = true
      })
      return new Response(LARGE)
    }
    const { socket, heard, ended } = connectTo(
      await onSocket({ ...harness, app: { fetch } }, { unreadMs: 50 }),
    )
    socket.pause()
    socket.write(READY.repeat(8))
    await eventually('the gateway ends it', () => endedThere)
    socket.resume()
    await eventually('it is over', ended)
    expect(answersIn(heard())).toBeLessThan(8)
  })
})
