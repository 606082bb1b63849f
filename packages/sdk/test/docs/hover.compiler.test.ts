import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editorOf } from './compiler.ts'

/** A program as somebody types it. `⌖` is where the pointer rests, just before a name. */
const code = `import { createClient, type Status } from '@wigwag/sdk'
const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
const sent = await sms.⌖sendSms({ ⌖From: 'ACME', ⌖To: '233201234567', ⌖Content: 'Hello', ⌖CallbackUrl: 'https://shop.example/' })
console.log(sent.⌖Ticket, sent.⌖Status)
await sms.sendBulkSms({ From: 'ACME', Content: 'Hello', ⌖Recipients: [{ To: '233201234567', ⌖Reference: 'customer-1' }] })
const message = await sms.getMessage(sent.Ticket)
console.log(message.⌖EffectedAt, message.Timeline[0]?.⌖At, message.⌖Encoding)
for await (const callback of sms.listCallbacks({ ⌖State: 'dead' })) console.log(callback.Attempts[0]?.⌖LatencyMs)
await sms.searchMessages({ ⌖DateFrom: '2026-11-16T00:00:00Z' }).page()
const { Networks } = await sms.getRates('GH')
console.log(Networks[0]?.⌖Price)
`
const editor = editorOf(join(import.meta.dirname, 'typed-by-somebody.ts'))
const typed = code.replaceAll('⌖', '')
const places = [...code.matchAll(/⌖(\w+)/g)].map(([, name = ''], marks) => {
  const at = code.split('⌖', marks + 1).join('').length
  return { name, at, meaning: editor.hover(typed, at) }
})

describe('an editor', () => {
  it.each(places)('says what $name means where the pointer rests on it', ({ meaning }) => {
    expect(meaning).toMatch(/\w+ \w+ \w+/)
  })

  it.each([
    ['From', /approved sender ID/],
    ['To', /with its country code, in digits.*Example: `233241234567`/s],
    ['Content', /at most 10 segments/],
    ['Ticket', /Identifies the transaction/],
    ['Reference', /Your own reference/],
    ['At', /in UTC, ISO 8601/],
    ['Price', /major units of the wallet's currency/],
    ['State', /callback/i],
  ])('describes %s by what it refers to', (name, meaning) => {
    expect(places.find((place) => place.name === name)?.meaning).toMatch(meaning)
  })

  it('offers the known values of an open list, and one spelling of the callback URL', () => {
    const start = `import { createClient, type Status } from '@wigwag/sdk'
const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })\n`
    const offered = (end: string) => editor.completions(start + end)
    expect(offered("const status: Status = '")).toEqual(
      expect.arrayContaining(['pending', 'success', 'failed']),
    )
    expect(offered("const code: import('@wigwag/sdk').ErrorCode = '")).toContain('insufficient_funds')
    expect(offered('sms.sendSms({ ').filter((name) => /^callback/i.test(name))).toEqual(['CallbackUrl'])
    expect(offered("sms.sendSms({ From: 'ACME', callbackUrl")).toContain('CallbackUrl')
    expect(offered('sms.sendBulkSms({ ').filter((name) => /^callback/i.test(name))).toEqual(['CallbackUrl'])
  })
})
