import { createServer, type Socket } from 'node:net'
import { systemClock } from '@wigwag/contract'
import { onTestFinished } from 'vitest'
import { eventually } from '../../server/test/support/eventually.ts'
import { overTime } from '../../server/test/support/hand-clock.ts'
import { encodeBare, encodeBindResponse } from '../src/codec/encode.ts'
import { COMMAND, type Pdu, RESPONSE, type ShortMessage } from '../src/codec/pdu.ts'
import { Connection } from '../src/link/connection.ts'
import { Link } from '../src/link/link.ts'
import type { LinkEvents, LinkOptions } from '../src/link/link-options.ts'
import { Pace } from '../src/link/pace.ts'
import { type SmscOptions, type Submitted, startSmsc } from '../src/smsc/smsc.ts'

const random = () => 0.5
/** Longer than a slow machine takes for anything. On a clock by hand too, which may be far ahead of the sockets. */
const AN_HOUR_MS = 3_600_000

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export function shortMessage(changes: Partial<ShortMessage> = {}): ShortMessage {
  return {
    serviceType: '',
    source: { ton: 5, npi: 0, digits: 'Wigwag' },
    destination: { ton: 1, npi: 1, digits: '233240000000' },
    esmClass: 0,
    protocolId: 0,
    validity: '',
    registeredDelivery: 1,
    dataCoding: 0,
    body: Buffer.from('hello'),
    tlvs: new Map(),
    ...changes,
  }
}

/** The fake carrier on a free port, gone with the test. */
export async function fakeCarrier(changes: Partial<SmscOptions> = {}) {
  const taken: Submitted[] = []
  const onSubmit = (submitted: Submitted) => void taken.push(submitted)
  const smsc = await startSmsc({ againMs: 20, random, onSubmit, ...changes })
  let isOpen = true
  const close = async () => {
    if (isOpen) await smsc.close()
    isOpen = false
  }
  onTestFinished(close)
  return {
    port: smsc.port,
    counts: () => smsc.counts(),
    hangUp: () => smsc.hangUp(),
    close,
    taken,
  }
}

/** A carrier that binds, and does with everything else what the test says. */
export async function rawCarrier(hear: (pdu: Pdu, socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const connection = new Connection(socket, {
      onPdu(pdu) {
        if (pdu.kind === 'bind') {
          connection.write(
            encodeBindResponse(pdu.bind.kind, pdu.sequence, 0, { systemId: 'raw', version: 0x34 }),
          )
        }
        hear(pdu, socket)
      },
      onEnd: () => {},
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(close)
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, sockets, close }
}

/** Answers an unbind: without an answer, who closes a link waits for it. */
export function letUnbind(pdu: Pdu, socket: Socket): void {
  if (pdu.kind === 'unbind') socket.write(encodeBare(COMMAND.unbind + RESPONSE, pdu.sequence))
}

/** A link that comes back soon and gives up nothing for lack of an answer, closed with the test. */
export function linkTo(
  port: number,
  { tps = 0, clock = systemClock, ...changes }: Partial<LinkOptions> & { tps?: number } = {},
  events: Partial<LinkEvents> = {},
) {
  const heard: ShortMessage[] = []
  const states: string[] = []
  const link = new Link(
    {
      endpoint: { host: '127.0.0.1', port, tls: false },
      bind: { kind: 'transceiver', systemId: 'demo', password: 'secret', systemType: '', version: 0x34 },
      window: 10,
      pace: new Pace({ tps, burst: tps / 10, elapsed: clock.elapsed }),
      statuses: new Map(),
      enquireMs: AN_HOUR_MS,
      responseMs: AN_HOUR_MS,
      writtenWithinMs: AN_HOUR_MS,
      reconnectMs: 20,
      restMs: 50,
      clock,
      random,
      ...changes,
    },
    {
      async onMessage(message) {
        heard.push({ ...message, body: Buffer.from(message.body) })
      },
      onState: () => states.push(`${link?.state} ${link?.reason}`.trim()),
      onCapacity: () => {},
      ...events,
    },
  )
  onTestFinished(() => overTime(clock, link.close(0)))
  return { link, heard, states }
}

export async function bound(link: Link): Promise<void> {
  await eventually('the link to be bound', () => link.state === 'bound')
}

/** A link that is bound to a fake carrier. */
export async function boundTo(
  smsc: Partial<SmscOptions>,
  options: Parameters<typeof linkTo>[1] = {},
  events: Partial<LinkEvents> = {},
) {
  const carrier = await fakeCarrier(smsc)
  const opened = linkTo(carrier.port, options, events)
  await bound(opened.link)
  return { carrier, ...opened }
}
