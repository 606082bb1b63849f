import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { chaos } from '../../support/random.ts'

/** The answers to hostile connections, and their ends. */
export interface Ended {
  /** How many connections there were. */
  opened: number
  /** How many the gateway ended by itself. */
  closed: number
  /** How often each status was answered; a connection that got none counts as `none`. */
  statuses: Record<string, number>
}

export interface Hostility {
  what: string
  /** The only statuses that it may be answered with. */
  statuses: readonly string[]
  /** How soon the gateway ends each connection, where it must. */
  closedWithinMs?: number
  begin(target: Target): Siege
}

export interface Target {
  port: number
  /** The head of a request of an account that the healthy client is not of, but for the last line break. */
  head(method: string, path: string, fields?: Record<string, string>): string
  /** How many connections to open. */
  connections: number
}

export interface Siege {
  /** How many connections the gateway has not ended yet. */
  open(): number
  end(): Promise<Ended>
}

const BULK = '/v1/messages/sms/bulk/otm'

/** A bulk with a field that nothing asked for, which is deep or wide. */
function deep(index: number): string {
  const extras = [
    '['.repeat(100_000) + ']'.repeat(100_000),
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    `{${Array.from({ length: 20_000 }, (_, field) => `"f${field}":1`).join()}}`,
    '['.repeat(100_000),
  ]
  const extra = extras[index % extras.length] ?? ''
  return `{"From":"WIGWAG","Content":"Hello","Recipients":[{"To":"1"}],"extra":${extra}}`
}

export const HOSTILITIES: readonly Hostility[] = [
  {
    what: 'connections that send nothing',
    statuses: ['408', 'none'],
    closedWithinMs: 13_000,
    begin: (target) => besiege(target, async () => undefined),
  },
  {
    what: 'headers that come a line a second',
    statuses: ['408'],
    closedWithinMs: 13_000,
    begin: (target) =>
      besiege(target, async (socket) => {
        socket.write(target.head('POST', BULK))
        for (let line = 0; !socket.destroyed; line++) {
          socket.write(`X-Line-${line}: 1\r\n`)
          await pause(1_000)
        }
      }),
  },
  {
    what: 'bodies that come a byte a second',
    statuses: ['408', '429'],
    closedWithinMs: 34_000,
    begin: (target) =>
      besiege(target, async (socket) => {
        socket.write(`${target.head('POST', BULK, { 'content-length': '200000' })}\r\n`)
        while (!socket.destroyed) {
          socket.write('{')
          await pause(1_000)
        }
      }),
  },
  {
    what: 'headers of a megabyte, in one line or in many',
    statuses: ['413', 'none'],
    begin: (target) =>
      besiege(fewer(target), async (socket, index) => {
        const lines = index % 2 === 0 ? 'a'.repeat(1_000_000) : 'X-A: 1\r\n'.repeat(125_000)
        socket.write(`${target.head('GET', '/v1/account/balance')}X-Long: ${lines}\r\n\r\n`)
      }),
  },
  {
    what: 'JSON that is 100,000 levels deep, or has 20,000 fields',
    statuses: ['400', '422', '429'],
    begin: (target) => again({ ...target, connections: 1 }, 500, (index) => posted(target, deep(index))),
  },
  {
    what: 'bodies larger than any request',
    statuses: ['413', '429', 'none'],
    begin: (target) => {
      // Made once: on this machine an attacker's work takes processor time from the gateway.
      const request = Buffer.from(posted(target, 'a'.repeat(3_000_000)))
      return again(target, 500, () => request)
    },
  },
  {
    what: 'requests of a client beyond its limit',
    statuses: ['200', '429'],
    begin: (target) => again(target, 200, () => `${target.head('GET', '/v1/account/balance')}\r\n`),
  },
  {
    what: 'requests without credentials',
    statuses: ['401'],
    begin: (target) => again(target, 200, () => 'GET /v1/account/balance HTTP/1.1\r\nHost: a\r\n\r\n'),
  },
  {
    what: 'clients that ask and never read',
    statuses: ['200', '429', 'none'],
    begin: (target) =>
      besiege(fewer(target), async (socket) => {
        socket.pause()
        socket.write('GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200))
      }),
  },
]

/** A megabyte from each of these within a second is about what a line of a gigabit brings, and as much as is answered. */
const fewer = (target: Target): Target => ({ ...target, connections: Math.ceil(target.connections / 10) })

const posted = (target: Target, body: string) =>
  `${target.head('POST', BULK, { 'content-length': String(body.length) })}\r\n${body}`

/** How long it takes until all connections have come: a flood is another kind of hostility. */
const ARRIVAL_MS = 1_000

/** Connections that stay until the gateway ends them. */
function besiege(
  { port, connections }: Target,
  attack: (socket: Socket, index: number) => Promise<void>,
): Siege {
  const sockets: Socket[] = []
  const heard: string[] = []
  let closed = 0
  let over = false
  const began = performance.now()
  const arriving = setInterval(arrive, 1)
  function arrive() {
    const due = connections * Math.min(1, (performance.now() - began) / ARRIVAL_MS)
    while (sockets.length < due) come(sockets.length)
    if (sockets.length === connections) clearInterval(arriving)
  }
  function come(index: number) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    heard.push('')
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      heard[index] ||= chunk.toString('latin1', 0, 20)
    })
    socket.on('close', () => {
      if (!over) closed++
    })
    socket.on('connect', () => void attack(socket, index))
  }
  return {
    open: () => connections - closed,
    async end() {
      over = true
      clearInterval(arriving)
      for (const socket of sockets) socket.destroy()
      const statuses: Record<string, number> = {}
      for (const text of heard) count(statuses, text)
      return { opened: connections, closed, statuses }
    },
  }
}

/** Each connection rests for a moment, asks, reads the answer and ends, and then comes again. */
function again(
  { port, connections }: Target,
  restMs: number,
  request: (index: number) => string | Buffer,
): Siege {
  const random = chaos()
  const statuses: Record<string, number> = {}
  let opened = 0
  let over = false
  async function visit(): Promise<void> {
    for (;;) {
      await pause(restMs * (random.from(50, 150) / 100))
      if (over) return
      const index = opened++
      count(statuses, await firstOf(port, request(index)))
    }
  }
  const visits = Promise.all(Array.from({ length: Math.ceil(connections / 50) }, visit))
  return {
    open: () => 0,
    async end() {
      over = true
      await visits
      return { opened, closed: opened, statuses }
    },
  }
}

function firstOf(port: number, request: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(heard))
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1', 0, 20)
      socket.destroy()
    })
  })
}

function count(statuses: Record<string, number>, heard: string): void {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 'none'
  statuses[status] = (statuses[status] ?? 0) + 1
}
