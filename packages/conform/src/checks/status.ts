import { came, expectNone, expectRefusal, expectText, needed, textIn } from '../answers.ts'
import { isSuccess } from '../caller.ts'
import { type Check, must } from '../check.ts'
import { Wrong } from '../connector-check/visit.ts'
import { NotTried } from '../not-tried.ts'
import type { Session } from '../session.ts'
import { isInstant, isUuid, missing, shapes, shown, wrongTypes, wrongUuids } from '../shape.ts'
import { recipientsOf } from './bulk.ts'

const record = (session: Session) => needed(session.record('single'), 'status.answers')

const DATES = ['DateCreated', 'EffectedAt']

export const status: readonly Check[] = [
  must(
    'status.answers',
    '4.3',
    'GET /v1/transactions/{ticket}/status answers with a JSON object for the Ticket of a send',
    async (session) => {
      await session.record('single')
    },
  ),
  must('status.fields', '2.4', 'it has the twelve fields of the record, so spelled', async (session) =>
    expectNone(missing(await record(session), shapes.record)),
  ),
  must(
    'status.types',
    '2.4',
    'Cost, BalanceBefore and BalanceAfter are numbers, the others are strings',
    async (session) => expectNone(wrongTypes(await record(session), shapes.record)),
  ),
  must('status.uuid', '2.4', 'MessageId is a UUID', async (session) =>
    expectNone(wrongUuids(await record(session), shapes.record)),
  ),
  must(
    'status.dates',
    '2.4',
    'DateCreated and EffectedAt are ISO 8601 in UTC, with milliseconds and Z',
    async (session) => {
      const found = await record(session)
      const wrong = DATES.filter((name) => !isInstant(textIn(found, name, 'status'), 'milliseconds'))
      expectNone(wrong.map((name) => `${name} is ${shown(found[name])}`))
    },
  ),
  must('status.type', '2.4', 'Type is SMS', async (session) =>
    expectText(await record(session), 'Type', 'SMS', 'status'),
  ),
  must('status.id', '2.4', 'MessageId is the Id of the send result', async (session) => {
    const { Id } = await session.result('single')
    const { MessageId } = await record(session)
    if (!isUuid(Id) || !isUuid(MessageId)) throw new NotTried('needs single.uuids and status.uuid')
    if (MessageId !== Id) throw new Wrong(`MessageId is ${shown(MessageId)}; Id was ${shown(Id)}`)
  }),
  must(
    'status.message',
    '2.4',
    'Content, To, From and Reference are those of the request',
    async (session) => {
      const found = await record(session)
      const { body } = await session.sent('single')
      const names = ['Content', 'To', 'From', 'Reference']
      const wrong = names.filter((name) => textIn(found, name, 'status') !== body[name])
      expectNone(wrong.map((name) => `${name} is ${shown(found[name])}; sent was ${shown(body[name])}`))
    },
  ),
  must('status.bulk', '4.3', 'it answers for the Ticket of a bulk, with its Reference', async (session) => {
    await record(session)
    const reference = textIn(await session.record('bulk'), 'Reference', 'status')
    const recipients = await recipientsOf(session)
    if (!recipients.some(({ Reference }) => Reference === reference))
      throw new Wrong(`Reference is ${shown(reference)}`)
  }),
  must('status.unknown', '4.3', 'a ticket that was never given out has no record', async (session) => {
    await record(session)
    expectRefusal(
      await session.caller.call('getTransactionStatus', { ticket: session.unknownTicket, wallet: 'right' }),
    )
  }),
  must('status.no-wallet', '4.3', 'it needs no X-Wallet header', async (session) => {
    await record(session)
    const visited = await session.status()
    if (!isSuccess(visited)) throw new Wrong(came(visited))
  }),
]
