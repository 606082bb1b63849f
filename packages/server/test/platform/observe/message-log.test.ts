import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { call, openFront, SINGLE, single } from '../../support/front.ts'

type Line = Record<string, unknown>

/** A gateway and what it logs of a message with a callback. */
async function linesOf(level: string): Promise<{ lines: Line[]; ticket: string; accountId: string }> {
  const lines: Line[] = []
  const log = pino({ level, base: null }, { write: (text: string) => void lines.push(JSON.parse(text)) })
  let posted = false
  const front = await openFront(
    ':memory:',
    {},
    {
      log,
      async outbound() {
        posted = true
        const headers = {}
        return { kind: 'reply', status: 200, headers, body: new Uint8Array(), truncated: false, latencyMs: 1 }
      },
    },
  )
  onTestFinished(() => front.close())
  const account = await front.account('logged', 1_000_000)
  const body = { ...single(), Reference: 'order-77', CallbackUrl: 'https://receiver.example/hook' }
  const { Ticket } = JSON.parse((await call(front.url, account, { path: SINGLE, body })).text)
  await eventually('its callback was posted', () => posted)
  await eventually('that is stored', async () => {
    const rows = await front.gateway.database.read(({ run }) =>
      run("SELECT 1 AS one FROM callbacks WHERE state = 'delivered'", []),
    )
    return rows.length === 1
  })
  return { lines, ticket: Ticket, accountId: account.accountId }
}

it('has the ticket of a message at the send, its submission, its end and its callback', async () => {
  const { lines, ticket, accountId } = await linesOf('debug')
  expect(lines.filter((line) => line.ticket === ticket)).toMatchObject([
    { level: 20, msg: 'a message was accepted', account: accountId, status: 'pending' },
    { level: 20, msg: 'a message was submitted', carrier: 'simulator', outcome: 'accepted' },
    { level: 20, msg: 'a message is final', status: 'success' },
    { level: 20, msg: 'an attempt to post a callback ended', status: 200, next: 'delivered' },
  ])
  for (const text of ['233241234567', 'Hello', 'order-77']) expect(JSON.stringify(lines)).not.toContain(text)
})

it('has no line for each message where the level is info', async () => {
  const { lines } = await linesOf('info')
  expect(lines.filter((line) => 'ticket' in line)).toEqual([])
})
