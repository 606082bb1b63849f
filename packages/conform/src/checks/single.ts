import { expectNone, expectRefusal, expectText, objectIn, textIn } from '../answers.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import type { Session } from '../session.ts'
import { missing, required, shapes, wrongTypes, wrongUuids } from '../shape.ts'

const result = (session: Session) => session.result('single')

/** A request without one field, or with other names, must not send. */
async function refuse(
  session: Session,
  name: string,
  change: (body: [string, unknown][]) => [string, unknown][],
) {
  await result(session)
  const body = session.body('single', `${session.run}-${name}`)
  expectRefusal(await session.refused({ body: Object.fromEntries(change(Object.entries(body))) }))
}

export const single: readonly Check[] = [
  must('single.accepted', '4.1', 'POST /v1/messages/sms answers with one JSON object', async (session) => {
    objectIn((await session.sent('single')).answer)
  }),
  must(
    'single.fields',
    '2.3',
    'it has Cost, Destination, Id, Ticket, ClientReference and Status, so spelled',
    async (session) => expectNone(missing(await result(session), shapes.result)),
  ),
  must('single.types', '2.3', 'Cost is a number, the others are strings', async (session) =>
    expectNone(wrongTypes(await result(session), shapes.result)),
  ),
  must('single.uuids', '2.3', 'Id and Ticket are UUIDs', async (session) =>
    expectNone(wrongUuids(await result(session), shapes.result)),
  ),
  must('single.destination', '2.3', 'Destination is the recipient of the request', async (session) =>
    expectText(await result(session), 'Destination', session.to[0] ?? '', 'single'),
  ),
  must('single.reference', '2.3', 'ClientReference is the Reference of the request', async (session) =>
    expectText(await result(session), 'ClientReference', `${session.run}-single`, 'single'),
  ),
  must('single.status', '2.3', 'Status is pending', async (session) =>
    expectText(await result(session), 'Status', 'pending', 'single'),
  ),
  must('single.shortest', '2.1', 'a send without Reference and CallbackUrl is accepted', async (session) => {
    await result(session)
    objectIn((await session.sent('shortest')).answer)
  }),
  must('single.ticket', '2.3', 'no two messages have the same Ticket', async (session) => {
    const first = textIn(await result(session), 'Ticket', 'single')
    const second = await session.result('shortest')
    if (textIn(second, 'Ticket', 'single') === first) throw new Wrong(`two messages have the Ticket ${first}`)
  }),
  ...required.single.map((name) =>
    must(`single.requires-${name}`, '2.1', `a send without ${name} is refused`, (session) =>
      refuse(session, `no-${name}`, (body) => body.filter(([key]) => key !== name)),
    ),
  ),
  must('single.case', '2', 'a send with from, to and content in small letters is refused', (session) =>
    refuse(session, 'case', (body) => body.map(([key, value]) => [key.toLowerCase(), value])),
  ),
]
