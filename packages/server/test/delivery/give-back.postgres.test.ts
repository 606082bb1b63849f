import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { encodeMessageResponse } from '../../../smpp/src/codec/encode.ts'
import { COMMAND } from '../../../smpp/src/codec/pdu.ts'
import { STATUS } from '../../../smpp/src/status.ts'
import { fakeCarrier, letUnbind, rawCarrier } from '../../../smpp/test/peers.ts'
import { aPlace } from '../support/bench.ts'
import { checkStandings } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { BULK, bulk, call, openFront } from '../support/front.ts'
import { handClock } from '../support/hand-clock.ts'

const WINDOW = 5
const LONG = 'A text of five parts. '.repeat(34)

/**
 * Two gateways on one PostgreSQL. The carrier is too busy for the first one, so that most parts of what it takes wait in
 * a link that rests; the second one takes what it can get at once.
 */
async function openTwo() {
  const told = { submissions: 0 }
  const clock = handClock()
  /** Looks again and again, each time a tenth of a second later. */
  const later: typeof eventually = (what, look) =>
    eventually(what, () => {
      clock.pass(100)
      return look()
    })
  const busy = await rawCarrier((pdu, socket) => {
    letUnbind(pdu, socket)
    if (pdu.kind !== 'submit_sm') return
    told.submissions++
    socket.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, STATUS.throttled))
  })
  const smsc = await fakeCarrier()
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-give-back-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const write = (file: string, port: number, window: number) => {
    const url = `smpp://demo@127.0.0.1:${port}`
    const north = { url, passwordEnv: 'PASSWORD', reconnectMs: 100, window }
    const routes = [{ prefix: '', carriers: [{ name: 'north' }] }]
    return writeFile(join(folder, file), JSON.stringify({ carriers: { north }, routes }))
  }
  await write('busy.json', busy.port, WINDOW)
  await write('free.json', smsc.port, WINDOW)
  const place = await aPlace('PostgreSQL')
  const openWith = async (file: string, pollMs: number) => {
    const carrier = { given: `file:./${file}`, folder, variables: () => ({ PASSWORD: 'demo' }) }
    const front = await openFront(place, { carrier, pollMs }, { clock })
    let closing: Promise<void> | undefined
    const close = () => (closing ??= front.close())
    onTestFinished(close)
    return { ...front, close }
  }
  const first = await openWith('busy.json', 1_000)
  const second = await openWith('free.json', 2)
  const account = await first.account('a', 100_000_000)
  const states = async () => (await second.gateway.carriers.reports()).flatMap(({ carriers }) => carriers)
  const areUp = async () => (await states()).filter(({ kind }) => kind === 'up').length === 2
  await later('both are connected', areUp)
  return { told, smsc, first, second, account, later, change: () => write('busy.json', smsc.port, WINDOW) }
}

describe('what waits in the link of one of several gateways on PostgreSQL', () => {
  it.each(['stops', 'reads changed carriers'])('is certainly not sent when that gateway %s', async (why) => {
    const { told, smsc, first, second, account, later, change } = await openTwo()
    const numbers = Array.from({ length: WINDOW }, (_, index) => `23324${1_000_000 + index * 7}`)
    const body = { ...bulk(numbers), Content: LONG }
    expect(await call(first.url, account, { path: BULK, body })).toMatchObject({ status: 200 })
    await later('the carrier was too busy', () => told.submissions >= WINDOW)
    await change()
    await (why === 'stops' ? first.close() : first.gateway.reloadCarriers())
    const { database, carriers } = second.gateway
    expect((await carriers.uncertain(1)).total).toBe(0)
    await later('all are delivered', async () => {
      const open = await database.read(({ run }) =>
        run("SELECT id FROM messages WHERE status <> 'success'", []),
      )
      return open.length === 0
    })
    await checkStandings(database)
    expect(new Set(smsc.taken.map(({ destination }) => destination))).toEqual(new Set(numbers))
    expect(smsc.counts()).toMatchObject({ taken: 5 * WINDOW, repeated: 0 })
  })
})
