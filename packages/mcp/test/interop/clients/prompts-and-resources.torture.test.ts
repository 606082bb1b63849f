import { describe, expect, it } from 'vitest'
import type { OfficialAssistant } from '../../fixtures/clients.ts'
import { MESSAGE } from '../../fixtures/message.ts'
import { cases } from './places.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

describe.each(cases)('$client, at $place', ({ connect, open }) => {
  it('gets every prompt and resource, and what its revision knows of links and of the server', async () => {
    const { target, now } = await open()
    const assistant = await connect(target)
    expect(Object.keys(assistant.server ?? {}).sort()).toEqual(shownAt(assistant))
    await getPrompts(assistant)
    await readResources(assistant)
    await followLinks(assistant, now)
  })
})

async function getPrompts({ prompts, prompt }: OfficialAssistant): Promise<void> {
  expect(await prompts()).toMatchObject([
    { name: 'send_a_test', title: 'Send a test' },
    { name: 'why_did_this_fail', title: 'Why did this fail' },
    { name: 'what_did_we_spend_last_week', title: 'What did we spend last week' },
  ])
  expect(await prompt('send_a_test', { to: MESSAGE.to })).toContain(MESSAGE.to)
  expect(await prompt('send_a_test')).toContain('Ask me for the recipient')
  expect(await prompt('why_did_this_fail', { ticket: UNKNOWN })).toContain(UNKNOWN)
  expect(await prompt('what_did_we_spend_last_week')).toContain('delivery_insights')
  await expect(prompt('why_did_this_fail')).rejects.toMatchObject({ code: -32_602 })
  await expect(prompt('send_all')).rejects.toMatchObject({ code: -32_602 })
}

/** A missing resource is refused with the code of the revision. */
async function readResources({ version, resources, read, call }: OfficialAssistant): Promise<void> {
  expect(await resources()).toEqual(['wigwag://messages/{ticket}', 'wigwag://rates/{country}'])
  const { data: rates } = await call('get_rates', { country: 'GH', limit: 200 })
  expect(await read('wigwag://rates/GH')).toEqual(rates)
  const code = version === '2026-07-28' ? -32_602 : -32_002
  for (const uri of [`wigwag://messages/${UNKNOWN}`, 'wigwag://rates/ZZ', 'wigwag://wallets/1', 'x:y']) {
    await expect(read(uri), uri).rejects.toMatchObject({ code, data: { uri } })
  }
}

async function followLinks({ version, read, call }: OfficialAssistant, now: number): Promise<void> {
  const sent = await call('send_sms', MESSAGE)
  const later = new Date(now + 3 * 86_400_000).toISOString()
  const scheduled = await call('schedule_sms', { ...MESSAGE, send_at: later })
  for (const { data, links } of [
    sent,
    scheduled,
    await call('get_message_status', { id: sent.data.ticket }),
    await call('cancel_scheduled', { ticket: scheduled.data.ticket }),
  ]) {
    const ticket = data.ticket ?? data.id
    const uri = `wigwag://messages/${ticket}`
    expect(links).toEqual(version === '2025-03-26' ? [] : [uri])
    expect(await read(uri)).toMatchObject({ id: ticket, content: MESSAGE.content })
  }
}

function shownAt({ version = '' }: OfficialAssistant): string[] {
  if (version < '2025-06-18') return ['name', 'version']
  return version < '2025-11-25'
    ? ['name', 'title', 'version']
    : ['icons', 'name', 'title', 'version', 'websiteUrl']
}
