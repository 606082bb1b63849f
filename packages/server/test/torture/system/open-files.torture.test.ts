import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { openScene, type Scene } from '../scene.ts'

const ROUNDS = atLength({ short: 1, full: 10 })
const LASTS_MS = atLength({ short: 500, full: 12_000 })
/** A gateway on an SQLite file has about forty open before its first connection. */
const OPEN_FILES = 70
const CONNECTIONS = atLength({ short: 200, full: 600 })

let scene: Scene | undefined

afterEach(() => scene?.close())

describe('a gateway that may open no more files', () => {
  it('goes on for the clients it has, and takes new ones when the others have gone', {
    timeout: ROUNDS * (LASTS_MS + 60_000) + 900_000,
  }, async () => {
    scene = await openScene({ ulimit: `-n ${OPEN_FILES}` })
    const { answers, supervised, msUntilFinal, conclude } = scene
    let slowest = 0
    let turnedAway = 0
    let fewest = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++) {
      await pause(500)
      const before = answers.taken
      const flood = openFlood(new URL(supervised.urls()[0] ?? ''))
      await pause(LASTS_MS)
      await eventually('it turns connections away, and answers others', async () => {
        return flood.turnedAway() > 0 && answers.taken > before
      })
      fewest = Math.min(fewest, answers.taken - before)
      turnedAway += flood.turnedAway()
      flood.end()
      slowest = Math.max(slowest, await msUntilFinal())
    }
    const { acknowledged, outcome } = await conclude()
    checkFigures('too many open files', {
      'floods of connections': ROUNDS,
      'connections that it turned away': [turnedAway, { atLeast: 1 }],
      'requests taken meanwhile from clients with a connection, at least': [fewest, { atLeast: 1 }],
      'answers that are neither 200 nor a clear 503': [answers.unclear.length, { is: 0 }],
      'times the process ended': [supervised.ends.length, { is: 0 }],
      'ms until a new message is final, at most': [Math.round(slowest), { atMost: 20_000 }],
      'messages acknowledged': acknowledged,
      ...outcome,
    })
  })
})

/** Opens connections, of which half say nothing and half begin a request. A closed one is opened again. */
function openFlood({ hostname, port }: URL): { turnedAway(): number; end(): void } {
  const sockets = new Set<Socket>()
  let closed = 0
  let ending = false

  function open(talks: boolean): void {
    if (ending) return
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (talks) socket.write('POST /v1/messages/sms HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n')
    socket.once('close', () => {
      sockets.delete(socket)
      if (ending) return
      closed++
      setTimeout(open, 100, talks)
    })
  }
  for (let index = 0; index < CONNECTIONS; index++) open(index % 2 === 0)
  return {
    turnedAway: () => closed,
    end() {
      ending = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
