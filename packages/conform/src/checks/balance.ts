import { expectNone, needed, objectIn, textIn } from '../answers.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import type { Session } from '../session.ts'
import { isInstant, missing, shapes, shown, wrongTypes } from '../shape.ts'

const read = async (session: Session) => objectIn(await session.balance())
const found = (session: Session) => needed(read(session), 'balance.answers')

export const balance: readonly Check[] = [
  must('balance.answers', '4.4', 'GET /v1/account/balance answers with a JSON object', async (session) => {
    await read(session)
  }),
  must('balance.fields', '2.5', 'it has balance, currency and asOf, so spelled', async (session) =>
    expectNone(missing(await found(session), shapes.balance)),
  ),
  must('balance.types', '2.5', 'balance is a number, the others are strings', async (session) =>
    expectNone(wrongTypes(await found(session), shapes.balance)),
  ),
  must(
    'balance.date',
    '2.5',
    'asOf is ISO 8601 in UTC, with a fraction of seconds and Z',
    async (session) => {
      const asOf = textIn(await found(session), 'asOf', 'balance')
      if (!isInstant(asOf, 'any')) throw new Wrong(`asOf is ${shown(asOf)}`)
    },
  ),
]
