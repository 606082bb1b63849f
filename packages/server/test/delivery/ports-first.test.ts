import { createServer } from 'node:net'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { around } from '../../src/delivery/index.ts'
import { compose } from '../../src/gateway/compose.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { schemaImage } from '../../src/store/schema/migrate.ts'
import { eventually } from '../support/eventually.ts'
import { openKept } from '../support/kept.ts'

/** A gateway that is not started, as one that has no ports yet, and a carrier that counts connections. */
async function openUnstarted() {
  const connections: unknown[] = []
  const carrier = createServer((socket) => {
    connections.push(socket.on('error', () => undefined))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void carrier.close())
  const port = await eventually('the carrier listens', () => {
    const address = carrier.address()
    return typeof address === 'object' && address ? address.port : undefined
  })
  const begun: string[] = []
  const environment = { WIGWAG_CARRIER: `smpp://user:secret@127.0.0.1:${port}` }
  const gateway = await compose(loadConfig({ database: ':memory:' }, environment), {
    clock: systemClock,
    log: pino({ level: 'silent' }),
    image: await schemaImage(),
    openDatabase: openKept,
    onFatal(error) {
      throw error
    },
    aroundCarrier: (inner) =>
      around(inner, {
        start(events) {
          begun.push(inner.name)
          inner.start(events)
        },
      }),
  })
  return { gateway, begun, connections }
}

it('a gateway connects to its carriers when it is started, which is when it has its ports', async () => {
  const { gateway, begun, connections } = await openUnstarted()
  onTestFinished(() => gateway.stop())
  expect(begun).toEqual([])
  await gateway.reloadCarriers()
  expect([begun.length, connections.length]).toEqual([0, 0])
  gateway.start()
  expect(begun).toEqual(['127.0.0.1'])
  await eventually('it has connected', () => connections.length > 0)
})

it('one that gets no ports ends without having connected to any carrier', async () => {
  const { gateway, begun, connections } = await openUnstarted()
  await gateway.stop()
  expect([begun.length, connections.length]).toEqual([0, 0])
})
