import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { encodeMessage, encodeMessageResponse } from '../../../smpp/src/codec/encode.ts'
import { COMMAND } from '../../../smpp/src/codec/pdu.ts'
import { writeReceipt } from '../../../smpp/src/smsc/written-receipt.ts'
import { letUnbind, rawCarrier, shortMessage } from '../../../smpp/test/peers.ts'
import { eventually } from '../support/eventually.ts'
import { call, openFront, SINGLE, single } from '../support/front.ts'

const SOURCE = { ton: 5, npi: 0, digits: 'WIGWAG' }

/** A gateway whose carrier gives these ids to its messages, in this order, and brings receipts when told. */
async function openNamed(ids: string[]) {
  let socket: Socket | undefined
  const carrier = await rawCarrier((pdu, from) => {
    socket = from
    letUnbind(pdu, from)
    if (pdu.kind !== 'submit_sm') return
    const messageId = ids.shift() ?? ''
    from.write(encodeMessageResponse(COMMAND.submitSm, pdu.sequence, 0, { messageId }))
  })
  const given = `smpp://demo:secret@127.0.0.1:${carrier.port}`
  const front = await openFront(':memory:', { carrier: { given, folder: '.', variables: () => ({}) } })
  onTestFinished(front.close)
  const account = await front.account('a', 20_000_000)
  const show = (ticket: string) => front.gateway.messages.show(ticket, { text: false })
  return {
    show,
    find: async (carrierReference: string) => {
      const page = { limit: 10, after: undefined }
      const found = await front.gateway.messages.find({ carrierReference }, undefined, page)
      return found.messages.map(({ ticket }) => ticket)
    },
    async send(to: string): Promise<string> {
      const { text } = await call(front.url, account, { path: SINGLE, body: single(to) })
      const { Ticket } = JSON.parse(text) as { Ticket: string }
      await eventually('the carrier has it', async () => (await show(Ticket))?.references.length === 1)
      return Ticket
    },
    receipt(id: string, to: string, state: 'delivered' | 'undeliverable') {
      const message = { source: SOURCE, destination: { ...shortMessage().destination, digits: to } }
      const times = { submittedAt: 0, doneAt: 0 }
      const written = writeReceipt({ message, id, state, form: 'text', ...times, excerpt: '' })
      socket?.write(encodeMessage(COMMAND.deliverSm, written, 1))
    },
  }
}

it('ends each message by its own receipt, though the carrier’s ids differ in capitals alone', async () => {
  const { send, receipt, show, find } = await openNamed(['qWeX2', 'QwEx2'])
  const first = await send('233241000003')
  const second = await send('233241000004')
  receipt('QwEx2', '233241000004', 'undeliverable')
  await eventually('the second is final', async () => (await show(second))?.message.status === 'undelivered')
  expect(await show(first)).toMatchObject({ message: { status: 'pending' }, references: ['qWeX2'] })
  receipt('qWeX2', '233241000003', 'delivered')
  await eventually('the first is final', async () => (await show(first))?.message.status === 'success')
  expect(await find('qWeX2')).toEqual([first])
  expect(await find('QwEx2')).toEqual([second])
})

it('shows and finds what the carrier wrote, also by what its receipt makes of it', async () => {
  const { send, receipt, show, find } = await openNamed(['F00000004', '0000012345', '39F99DD5'])
  const tickets = [await send('233241000003'), await send('233241000004'), await send('233241000005')]
  const spelt = [
    ['F00000004', 'f00000004'],
    ['0000012345', '12345'],
    ['39F99DD5', '972660181'],
  ]
  const foundAll = async () => {
    for (const [index, [answer = '', other = '']] of spelt.entries()) {
      const ticket = tickets[index] ?? ''
      expect((await show(ticket))?.references).toEqual([answer])
      expect(await find(answer)).toEqual([ticket])
      expect(await find(other)).toEqual([ticket])
    }
  }
  await foundAll()
  receipt('f00000004', '233241000003', 'delivered')
  receipt('12345', '233241000004', 'delivered')
  receipt('972660181', '233241000005', 'delivered')
  await eventually('all are delivered', async () => {
    const shown = await Promise.all(tickets.map(show))
    return shown.every((found) => found?.message.status === 'success')
  })
  await foundAll()
})
