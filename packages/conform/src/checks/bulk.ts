import { arrayIn, expectNone, expectRefusal, expectText, textIn } from '../answers.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import type { Session } from '../session.ts'
import { type Found, missing, required, shapes, shown, wrongTypes, wrongUuids } from '../shape.ts'

const results = (session: Session) => session.results('bulk')

/** Fails with the faults of all results, each named once. */
async function expectOfEach(session: Session, wrongIn: (result: Found) => string[]): Promise<void> {
  expectNone([...new Set((await results(session)).flatMap(wrongIn))])
}

export async function recipientsOf(session: Session): Promise<{ To: string; Reference: string }[]> {
  const { Recipients } = (await session.sent('bulk')).body
  return Array.isArray(Recipients) ? Recipients : []
}

/** Each result as the pair that the specification promises. */
const pair = (destination: string, reference: string) => `${destination} with ${shown(reference)}`

export const bulk: readonly Check[] = [
  must(
    'bulk.accepted',
    '4.2',
    'POST /v1/messages/sms/bulk/otm answers with a JSON array',
    async (session) => {
      await session.result('single')
      arrayIn((await session.sent('bulk')).answer)
    },
  ),
  must('bulk.each', '4.2', 'the array has one result per recipient', async (session) => {
    const came = (await results(session)).length
    const expected = (await recipientsOf(session)).length
    if (came !== expected) throw new Wrong(`${came} for ${expected} recipients`)
  }),
  must('bulk.fields', '2.3', 'each result has the six fields of a send result, so spelled', (session) =>
    expectOfEach(session, (result) => missing(result, shapes.result)),
  ),
  must('bulk.types', '2.3', 'in each, Cost is a number and the others are strings', (session) =>
    expectOfEach(session, (result) => wrongTypes(result, shapes.result)),
  ),
  must('bulk.uuids', '2.3', 'in each, Id and Ticket are UUIDs', (session) =>
    expectOfEach(session, (result) => wrongUuids(result, shapes.result)),
  ),
  must(
    'bulk.references',
    '4.2',
    'each Destination has the Reference of its recipient as ClientReference',
    async (session) => {
      const expected = (await recipientsOf(session)).map(({ To, Reference }) => pair(To, Reference))
      const came = (await results(session)).map((result) =>
        pair(textIn(result, 'Destination', 'bulk'), textIn(result, 'ClientReference', 'bulk')),
      )
      // Another check covers one that is missing.
      expectNone(came.filter((found) => !expected.includes(found)))
    },
  ),
  must('bulk.status', '2.3', 'each Status is pending', async (session) => {
    for (const result of await results(session)) expectText(result, 'Status', 'pending', 'bulk')
  }),
  must('bulk.tickets', '2.3', 'no two results have the same Ticket', async (session) => {
    const tickets = (await results(session)).map((result) => textIn(result, 'Ticket', 'bulk'))
    if (new Set(tickets).size < tickets.length) throw new Wrong(`the Tickets are ${tickets.join(', ')}`)
  }),
  ...required.bulk.map((name) =>
    must(`bulk.requires-${name}`, '2.2', `a bulk without ${name} is refused`, async (session) => {
      await results(session)
      const { [name]: _, ...body } = session.body('bulk', `${session.run}-bulk-no-${name}`)
      expectRefusal(await session.refused({ body }, 'bulk'))
    }),
  ),
]
