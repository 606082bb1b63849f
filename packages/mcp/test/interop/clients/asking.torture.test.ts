import { describe, expect, it } from 'vitest'
import type { OfficialAssistant, Person } from '../../fixtures/clients.ts'
import { MESSAGE } from '../../fixtures/message.ts'
import { cases } from './places.ts'

/** Earlier revisions over HTTP without sessions have no way back to the client. */
const canAsk = ({ client, place }: { client: string; place: string }) =>
  client.includes('2026') || place.endsWith('stdio')

/** Answers as it was told last, and remembers what it was asked. */
function createPerson() {
  const asked: string[] = []
  let says: ReturnType<Person> = { action: 'cancel' }
  const person: Person = (question) => {
    asked.push(question)
    return says
  }
  return { asked, person, say: (answer: ReturnType<Person>) => (says = answer) }
}

const YES = { action: 'accept', content: { confirm: true } } as const
const NO = { action: 'decline' } as const

async function sentBy({ call }: OfficialAssistant): Promise<number> {
  const { data } = await call('search_messages', { to: MESSAGE.to })
  return Array.isArray(data.messages) ? data.messages.length : -1
}

describe.each(cases.filter(canAsk))('$client, at $place', ({ client, connect, open }) => {
  it('asks its person, sends nothing after a no, and once after a yes whose answer was lost', async () => {
    const { target, now } = await open('refuse')
    const { asked, person, say } = createPerson()
    const assistant = await connect(target, person)
    say(NO)
    const refused = await assistant.call('send_sms', MESSAGE)
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining('answered the question about it with no'),
    })
    expect(asked).toEqual([expect.stringContaining('To: 233241234567')])
    expect(asked[0]).toContain('Left of today')
    expect(await sentBy(assistant)).toBe(0)

    say(YES)
    const sent = await assistant.call('send_sms', MESSAGE)
    expect(sent.isError, sent.text).toBe(false)
    const again = await assistant.repeat()
    // Before 2026-07-28 the answer is not part of the call, so that the call is a new one, and refused as a duplicate.
    expect(again.text).toContain(sent.data.ticket)
    expect(again.isError).toBe(!client.includes('2026'))
    expect(await sentBy(assistant)).toBe(1)

    const later = new Date(now + 3 * 86_400_000).toISOString()
    const scheduled = await assistant.call('schedule_sms', { ...MESSAGE, send_at: later })
    expect(scheduled.data).toMatchObject({ status: 'scheduled' })
    const cancelled = await assistant.call('cancel_scheduled', { ticket: scheduled.data.ticket })
    expect(cancelled.data).toMatchObject({ status: 'cancelled' })
    expect(asked.slice(2)).toEqual([
      expect.stringContaining('Schedule this SMS'),
      expect.stringContaining('Cancel this scheduled SMS?'),
    ])
  })
})

describe.each(cases)('$client, at $place', (one) => {
  it('without a way to ask follows the setting', async () => {
    const refusing = await one.connect((await one.open('refuse')).target, canAsk(one) ? undefined : () => YES)
    const refused = await refusing.call('send_sms', MESSAGE)
    expect(refused.text).toContain('acts only after the person has said yes')
    expect(await sentBy(refusing)).toBe(0)
    const sending = await one.connect((await one.open('send')).target)
    expect(await sending.call('send_sms', MESSAGE)).toMatchObject({ isError: false })
  })
})
