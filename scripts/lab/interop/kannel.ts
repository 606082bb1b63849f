import { deepStrictEqual as equal } from 'node:assert'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { MAIN } from '../bench/rig/gateways.ts'
import type { Check } from './check.ts'
import { eventually, type Program, startProgram } from './program.ts'

const MISSING = 'Install Kannel: apt-get install kannel'

/** Kannel's numbers for what a receipt tells. */
const DELIVERED = '1'
const FAILED = '2'

const LONG = 'A long message, which three parts carry. '.repeat(10)
const UNICODE = 'Γειά σου Κόσμε, Привет, 你好'

interface Taken {
  destination: string
  text: string
  part?: { number: number; of: number }
}

/** Kannel sends to `wigwag smsc`, which proves that the carrier we test with is one. */
export async function kannel(folder: string, check: Check): Promise<void> {
  const [port, admin, box, http] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const receipts = await openReceipts()
  const startCarrier = async (...flags: string[]) => {
    const args = [MAIN, 'smsc', '--port', String(port), '--json', '--ids', 'mixed', '--delay', '50', ...flags]
    const carrier = await startProgram(process.execPath, args, { cwd: folder })
    await carrier.line(/WIGWAG_CARRIER/)
    return carrier
  }
  const send = async (to: string, text: string, more: Record<string, string> = {}) => {
    const user = { username: 'interop', password: 'secret', from: 'Kannel' }
    const dlr = { 'dlr-mask': '31', 'dlr-url': `${receipts.url}?to=${to}&type=%d` }
    const query = new URLSearchParams({ ...user, ...dlr, to, text, ...more })
    const response = await fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query}`)
    if (response.status !== 202)
      throw new Error(`Kannel answered ${response.status}: ${await response.text()}`)
  }

  let carrier = await startCarrier()
  const config = join(folder, 'kannel.conf')
  await writeFile(config, settings({ admin, box, http, port, store: folder }))
  const options = { cwd: folder, missing: MISSING }
  const bearerbox = await startProgram('bearerbox', ['-v', '0', config], options)
  await check('binds', async () => {
    await bearerbox.line(/type_name: bind_transceiver_resp/)
  })
  const smsbox = await startProgram('smsbox', ['-v', '1', config], options)
  await smsbox.line(/Connected to bearerbox/)

  await check(
    'sends a text, and its receipt finds it: hex in the answer, decimal in the receipt',
    async () => {
      await send('233241111101', 'Hello @ £5', { charset: 'UTF-8' })
      await receipts.told('233241111101', DELIVERED)
      equal(textTo(carrier, '233241111101'), 'Hello @ £5')
    },
  )
  await check('is told of a message that was not delivered', async () => {
    await send('233241200001', 'Hello')
    await receipts.told('233241200001', FAILED)
  })
  await check('sends a long text in parts', async () => {
    await send('233241111102', LONG)
    await receipts.told('233241111102', DELIVERED)
    equal(textTo(carrier, '233241111102'), LONG)
    equal(takenBy(carrier).find(({ destination }) => destination === '233241111102')?.part?.of, 3)
  })
  await check('sends other alphabets as UCS-2', async () => {
    await send('233241111103', UNICODE, { coding: '2', charset: 'UTF-8' })
    await receipts.told('233241111103', DELIVERED)
    equal(textTo(carrier, '233241111103'), UNICODE)
  })
  const rebind = async (...flags: string[]) => {
    const before = bearerbox.lines().length
    await carrier.kill()
    carrier = await startCarrier(...flags)
    await bearerbox.line(/type_name: bind_transceiver_resp/, before)
  }
  await check('binds again when the carrier was killed, and sends what waited', async () => {
    const before = bearerbox.lines().length
    await carrier.kill()
    await send('233241111104', 'Hello')
    carrier = await startCarrier()
    await bearerbox.line(/type_name: bind_transceiver_resp/, before)
    await receipts.told('233241111104', DELIVERED)
    equal(textTo(carrier, '233241111104'), 'Hello')
  })
  await check('binds again when the carrier hangs up instead of an answer', async () => {
    await rebind('--hangup', '100')
    const before = bearerbox.lines().length
    await send('233241111105', 'Hello')
    await carrier.line(/"233241111105"/)
    await bearerbox.line(/type_name: bind_transceiver_resp/, before)
  })
  await check('keeps what is throttled, and sends it later', async () => {
    await rebind('--tps', '1')
    const numbers = ['233241111106', '233241111107', '233241111108']
    await Promise.all(numbers.map((to) => send(to, 'Hello')))
    for (const to of numbers) await receipts.told(to, DELIVERED)
    await carrier.stop()
    const [, throttled] = /throttled (\d+)/.exec(carrier.lines().at(-1) ?? '') ?? []
    if (!(Number(throttled) > 0))
      throw new Error(`expected the carrier to throttle, got: ${carrier.lines().at(-1)}`)
  })

  await smsbox.stop()
  await bearerbox.stop()
  await carrier.kill()
  receipts.close()
}

function takenBy(carrier: Program): Taken[] {
  return carrier.lines().flatMap((line): Taken[] => (line.startsWith('{') ? [JSON.parse(line)] : []))
}

/** The parts that the carrier took for a recipient, joined. */
function textTo(carrier: Program, to: string): string {
  const parts = takenBy(carrier).filter(({ destination }) => destination === to)
  parts.sort((a, b) => (a.part?.number ?? 1) - (b.part?.number ?? 1))
  return parts.map(({ text }) => text).join('')
}

/** Takes the receipts that Kannel passes on. */
async function openReceipts() {
  const told = new Map<string, Set<string>>()
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://receipts.invalid').searchParams
    const to = query.get('to') ?? ''
    told.set(to, (told.get(to) ?? new Set()).add(query.get('type') ?? ''))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    told: (to: string, type: string) =>
      eventually(`a receipt of type ${type} for ${to}`, async () =>
        told.get(to)?.has(type) ? true : undefined,
      ),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Ports {
  admin: number
  box: number
  http: number
  /** Of the carrier. */
  port: number
  /** The folder of what waits. */
  store: string
}

function settings({ admin, box, http, port, store }: Ports): string {
  return `group = core
admin-port = ${admin}
admin-password = secret
smsbox-port = ${box}
box-allow-ip = 127.0.0.1
dlr-storage = internal
store-type = file
store-file = ${join(store, 'kannel.store')}
sms-resend-freq = 2

group = smsc
smsc = smpp
smsc-id = wigwag
host = 127.0.0.1
port = ${port}
transceiver-mode = true
smsc-username = kannel
smsc-password = secret
system-type = ""
interface-version = 34
enquire-link-interval = 2
reconnect-delay = 1
msg-id-type = 0x01

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${box}
sendsms-port = ${http}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = interop
password = secret
max-messages = 5
concatenation = true

group = sms-service
keyword = default
text = "none"
`
}
