import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { atLength } from '../../support/figures.ts'
import { connectTo } from '../../support/postgres.ts'
import { openScene, type Scene } from './scene.ts'
import { endLeasesOf, holdsJobs, whatWasSeen } from './watch.ts'

const FULL = atLength({ short: false, full: true })
const ROUNDS = FULL ? 10 : 1
/** Until every gateway accepts a message again. Other tests may keep the machine busy in the short form. */
const WITHIN_SECONDS = FULL ? 5 : 20
/** A gateway gives a connection up when it has seen no answer for 20 to 25 seconds. */
const GIVEN_UP_SECONDS = 25
const TIME = { timeout: FULL ? 1_200_000 : 900_000 }

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
}, 120_000)
afterAll(() => scene.close())

describe('three gateways on PostgreSQL keep every promise', TIME, () => {
  it('when one of them is stopped for longer than its leases last', async () => {
    const { servers, receiver, database } = scene
    await scene.go('a gateway stopped past its leases', {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        receiver.silence(true)
        await eventually('posts wait for their answers', async () => receiver.waiting > 40)
        const takenOver = async () => (await whatWasSeen(database))['taken over']
        const before = await takenOver()
        try {
          await eventually('it is stopped while it holds jobs', async () => {
            servers[0]?.suspend()
            if (await holdsJobs(database, 'gateway-0')) return true
            servers[0]?.resume()
            return false
          })
          // It learns of the answers when it is resumed, as it does of those that hang up then.
          receiver.takeSome()
          // The leases of posts last longest: their two seconds and 45 more.
          if (FULL) await pause(50_000)
          await eventually('others take over what it held', async () => {
            // Its locks are free when PostgreSQL ends its transactions, after ten seconds.
            if (!FULL) await endLeasesOf(database, 'gateway-0')
            return (await takenOver()) > before
          })
        } finally {
          servers[0]?.resume()
          await pause(100)
          receiver.silence(false)
        }
        await pause(300)
      },
      figures: (seen) => ({ 'jobs that others took over': [seen['taken over'], { atLeast: 1 }] }),
    })
  })

  it('when one of them is killed', async () => {
    const { servers, database } = scene
    await scene.go('a gateway killed', {
      withinSeconds: WITHIN_SECONDS,
      hangsUp: true,
      async make() {
        for (let round = 0; round < ROUNDS; round++) {
          const index = round % servers.length
          await servers[index]?.kill()
          await endLeasesOf(database, `gateway-${index}`)
          await scene.restart(index)
          await pause(200)
        }
      },
    })
  })

  it('when all connections are cut again and again', async () => {
    const other = await connectTo(scene.pair.url)
    await scene.go('connections cut', {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        for (let cut = 0; cut < 5 * ROUNDS; cut++) {
          await other.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'gateway-%'",
          )
          await pause(100)
        }
      },
    })
    await other.end()
  })

  it('when another session keeps rows and tables locked', async () => {
    const other = await connectTo(scene.pair.url)
    await scene.go('locks held', {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        for (let round = 0; round < ROUNDS; round++) {
          for (const lock of ['SELECT id FROM wallets FOR UPDATE', 'LOCK TABLE outbox IN EXCLUSIVE MODE']) {
            await other.query('BEGIN')
            await other.query(lock)
            await pause(FULL ? 6_000 : 700)
            await other.query('ROLLBACK')
            await pause(200)
          }
        }
      },
    })
    await other.end()
  })

  it.each([
    ['fast', 'SIGINT'],
    ['immediate', 'SIGQUIT'],
  ] as const)('when the database is restarted, %s', async (mode, signal) => {
    await scene.go(`database restarted (${mode})`, {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        for (let round = 0; round < ROUNDS; round++) {
          await scene.pair.end(0, signal)
          await pause(round * 100)
          await scene.pair.start(0)
          await pause(round * 20)
        }
      },
    })
  })

  it('when their connections vanish, and none is closed', async () => {
    const { wire } = scene
    await scene.go('connections vanished', {
      withinSeconds: GIVEN_UP_SECONDS + WITHIN_SECONDS,
      async make() {
        for (let round = 1; round <= ROUNDS; round++) {
          wire.vanish('gateway-')
          if (round < ROUNDS) await pause((GIVEN_UP_SECONDS + round) * 1_000)
        }
      },
    })
  })

  it('when they are led to a standby by mistake, and back, without an end of their connections', async () => {
    const { wire, pair, servers } = scene
    const isReady = async ({ url }: { url: string }) => (await fetch(`${url}/readyz`)).status === 200
    await scene.go('led to a standby by mistake', {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        for (let round = 0; round < ROUNDS; round++) {
          await wire.cut()
          wire.turnTo(pair.standby)
          await wire.mend()
          await pause(700)
          expect(await Promise.all(servers.map(isReady))).toEqual(servers.map(() => false))
          wire.turnTo(pair.url)
        }
      },
    })
    // Each says 503 for a moment when PostgreSQL takes a second for its answers, as it may on a busy machine.
    await eventually(
      'all are ready again',
      async () => (await Promise.all(servers.map(isReady))).every(Boolean),
      WITHIN_SECONDS * 1_000,
    )
  })

  it('when the primary is killed and its standby promoted', async () => {
    const { wire, pair } = scene
    await scene.go('failed over to the standby', {
      withinSeconds: WITHIN_SECONDS,
      async make() {
        await pair.end(0, 'SIGKILL')
        const other = await connectTo(pair.standby)
        await other.query('SELECT pg_promote()')
        await other.end()
        wire.turnTo(pair.standby)
      },
    })
  })
})
