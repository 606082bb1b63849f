import { expectNone, expectText, isFound, needed, textIn } from '../answers.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import { NotTried } from '../not-tried.ts'
import type { Session } from '../session.ts'
import { type Found, missing, others, shapes, shown, wrongTypes } from '../shape.ts'
import { recipientsOf } from './bulk.ts'

async function posted(session: Session) {
  const [first] = await session.callbacks('single', 1)
  if (first?.method !== 'POST') throw new Wrong(`${shown(first?.method)} came`)
  return first
}

async function payload(session: Session): Promise<Found> {
  const { json } = await needed(posted(session), 'callback.posted')
  if (isFound(json)) return json
  throw new NotTried('needs callback.json, which failed')
}

export const callback: readonly Check[] = [
  must(
    'callback.posted',
    '6',
    'a POST comes to the CallbackUrl of a send when it is final',
    async (session) => {
      await posted(session)
    },
  ),
  must('callback.json', '6', 'its body is a JSON object', async (session) => {
    const { json, body } = await needed(posted(session), 'callback.posted')
    if (!isFound(json)) throw new Wrong(`the body is ${shown(body.toString('utf8'))}`)
  }),
  must('callback.fields', '6', 'it has the seven fields of the payload, so spelled', async (session) =>
    expectNone(missing(await payload(session), shapes.callback)),
  ),
  must('callback.no-others', '6', 'it has no other fields', async (session) => {
    const found = await payload(session)
    // A field whose name differs in case counts as missing.
    const spelled = shapes.callback.map(({ name }) => name.toLowerCase())
    const more = others(found, shapes.callback).filter((name) => !spelled.includes(name.toLowerCase()))
    expectNone(more.map((name) => `also ${name}`))
  }),
  must(
    'callback.types',
    '6',
    'Cost, BalanceBefore and BalanceAfter are numbers, the others are strings',
    async (session) => expectNone(wrongTypes(await payload(session), shapes.callback)),
  ),
  must('callback.ticket', '6', 'Ticket is that of the send result', async (session) => {
    const ticket = textIn(await session.result('single'), 'Ticket', 'single')
    expectText(await payload(session), 'Ticket', ticket, 'callback')
  }),
  must('callback.reference', '6', 'ClientReference is the Reference of the request', async (session) =>
    expectText(await payload(session), 'ClientReference', `${session.run}-single`, 'callback'),
  ),
  must('callback.destination', '6', 'Destination is the recipient of the request', async (session) =>
    expectText(await payload(session), 'Destination', session.to[0] ?? '', 'callback'),
  ),
  must('callback.status', '6', 'Status is the final one, as in the record', async (session) => {
    const record = await needed(session.record('single'), 'status.answers')
    expectText(await payload(session), 'Status', textIn(record, 'Status', 'status'), 'callback')
  }),
  must(
    'callback.alias',
    '2.1',
    'a send with callbackUrl in place of CallbackUrl is called back',
    async (session) => {
      await session.result('single')
      await session.callbacks('alias', 1)
    },
  ),
  must('callback.bulk', '6', 'a callback comes for each message of a bulk', async (session) => {
    const recipients = await recipientsOf(session)
    const received = await session.callbacks('bulk', recipients.length)
    const came = received.map(({ json }) => (isFound(json) ? json.ClientReference : undefined))
    const without = recipients.filter(({ Reference }) => !came.includes(Reference))
    expectNone(without.map(({ Reference }) => `none with ${shown(Reference)} as ClientReference`))
  }),
  must(
    'callback.bulk-alias',
    '6',
    'a bulk with callbackUrl in place of CallbackUrl is called back',
    async (session) => {
      await session.results('bulk')
      await session.callbacks('bulk-alias', 1)
    },
  ),
]
