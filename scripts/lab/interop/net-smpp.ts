import { deepStrictEqual as equal } from 'node:assert'
import { join } from 'node:path'
import { uncertainMessages } from '../../../packages/server/src/delivery/operate/uncertain.ts'
import { systemClock } from '../../../packages/server/src/kernel/process/clock.ts'
import { openToRead } from '../../../packages/server/src/store/open.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { MAIN } from '../bench/rig/gateways.ts'
import { demoHeaders } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { eventually, type Program, startProgram } from './program.ts'

const PEER = join(import.meta.dirname, 'net-smpp-smsc.pl')
const MISSING = 'Install perl and Net::SMPP: apt-get install perl libnet-smpp-perl'

const LONG = 'A long message, which three parts carry. '.repeat(10)
const UNICODE = 'Γειά σου Κόσμε, Привет, 你好'

/** The gateway sends over SMPP to a carrier made of Debian's Net::SMPP. */
export async function netSmpp(folder: string, check: Check): Promise<void> {
  const port = await freePort()
  const startPeer = async () => {
    const started = await startProgram('perl', [PEER, String(port)], { cwd: folder, missing: MISSING })
    await started.line(/^ready/)
    return started
  }
  let peer = await startPeer()
  const database = `file:${join(folder, 'interop.db')}`
  const settings = 'ids=hex-then-decimal&responseMs=2000&reconnectMs=100'
  const program = await startProgram(process.execPath, [MAIN, 'serve', '--port', '0'], {
    cwd: folder,
    env: {
      WIGWAG_DATABASE_URL: database,
      WIGWAG_CARRIER: `smpp://interop:secret@127.0.0.1:${port}?${settings}`,
    },
  })
  const gateway = await openGateway(program)

  await check('binds as a transceiver, with user and password', async () => {
    await peer.line(/^bind user=interop password=secret$/)
  })
  await check('sends a text in GSM 03.38, and the receipt makes it final', async () => {
    await gateway.final(await gateway.send('233241111101', 'Hello @ £5'))
    const [text] = await textsTo(peer, '233241111101', 1)
    equal(text, { coding: 0, from: 'WIGWAG', part: 1, of: 1, hex: '48656c6c6f2000200135' })
  })
  await check('acknowledges receipts', async () => {
    await peer.line(/^acknowledged status=0$/)
  })
  await check('sends a long text in parts of 153 characters, and waits for all receipts', async () => {
    await gateway.final(await gateway.send('233241111102', LONG))
    const parts = await textsTo(peer, '233241111102', 3)
    equal(
      parts.map(({ part, of, hex }) => [part, of, hex.length / 2]),
      [
        [1, 3, 153],
        [2, 3, 153],
        [3, 3, LONG.length - 306],
      ],
    )
    equal(parts.map(({ hex }) => Buffer.from(hex, 'hex').toString('latin1')).join(''), LONG)
  })
  await check('sends other alphabets as UCS-2', async () => {
    await gateway.final(await gateway.send('233241111103', UNICODE))
    const [text] = await textsTo(peer, '233241111103', 1)
    equal(text?.coding, 8)
    equal(
      Buffer.from(text?.hex ?? '', 'hex')
        .swap16()
        .toString('utf16le'),
      UNICODE,
    )
  })
  await check('sends what was throttled again, once', async () => {
    await gateway.final(await gateway.send('233241111171', 'Hello'))
    await peer.line(/^throttled to=233241111171$/)
    await textsTo(peer, '233241111171', 1)
  })
  await check('lists a long text as uncertain when the carrier hangs up in the middle of it', async () => {
    const before = peer.lines().length
    const ticket = await gateway.send('233241111172', LONG)
    await peer.line(/^hung up$/)
    await eventually('the message is listed', async () => {
      const found = await uncertain(database)
      return found.includes(ticket) ? true : undefined
    })
    await peer.line(/^bind /, before)
  })
  await check('goes on after that, and sends no part of it again', async () => {
    await gateway.final(await gateway.send('233241111104', 'Hello'))
    const parts = (await textsTo(peer, '233241111172', 2)).map(({ part }) => part)
    equal(parts, [1, 2])
  })
  await check('keeps what is sent while the carrier is away, and sends it once it is back', async () => {
    await peer.kill()
    const ticket = await gateway.send('233241111105', 'Hello')
    equal(await gateway.status(ticket), 'pending')
    peer = await startPeer()
    await gateway.final(ticket)
    await textsTo(peer, '233241111105', 1)
  })
  await check('unbinds when it stops', async () => {
    await program.stop()
    await peer.line(/^unbind$/)
  })
  await program.stop()
  await peer.kill()
}

async function openGateway(program: Program) {
  await program.line(/API reference/)
  const said = program.lines().join('\n')
  const url = /listening on (\S+)/.exec(said)?.[1] ?? ''
  const headers = { ...demoHeaders({ said }), 'content-type': 'application/json' }

  async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { headers, ...post })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const status = async (ticket: string) => (await ask(`/v1/transactions/${ticket}/status`)).Status

  return {
    send: async (To: string, Content: string) =>
      String((await ask('/v1/messages/sms', { From: 'WIGWAG', To, Content })).Ticket),
    status,
    final: (ticket: string) =>
      eventually('the message is a success', async () => {
        const found = await status(ticket)
        if (found !== 'success' && found !== 'pending') throw new Error(`expected success, got ${found}`)
        return found === 'success' ? found : undefined
      }),
  }
}

interface Text {
  coding: number
  from: string
  part: number
  of: number
  hex: string
}

/** The texts that the carrier took for a recipient, in order of parts. Fails unless there are `count`. */
async function textsTo(peer: Program, to: string, count: number): Promise<Text[]> {
  const pattern = /^taken to=(\d+) from=(\S+) coding=(\d+) part=(\d+) of=(\d+) text=(\S*)$/
  const found = peer.lines().flatMap((line): Text[] => {
    const [, recipient, from = '', coding, part, of, hex = ''] = pattern.exec(line) ?? []
    return recipient === to ? [{ from, coding: Number(coding), part: Number(part), of: Number(of), hex }] : []
  })
  equal(found.length, count)
  return found.sort((a, b) => a.part - b.part)
}

async function uncertain(url: string): Promise<string[]> {
  const store = openToRead({ url, postgresConnections: 1, onIdleError: () => undefined })
  try {
    const found = await store.read((tx) => uncertainMessages(tx, systemClock.now(), 100))
    return found.map(({ ticket }) => ticket)
  } finally {
    await store.close()
  }
}
