import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'
import { createPerson } from '../assistants/oauth/person.ts'
import { consent, openWorld } from '../assistants/oauth/world.ts'
import { wordsOf } from '../console/forms.ts'
import { call, SINGLE, single } from '../support/front.ts'

const read = (name: string, contact: string) =>
  loadConfig({}, { WIGWAG_OPERATOR_NAME: name, WIGWAG_OPERATOR_CONTACT: contact }).operator

describe('the operator’s name and contact', () => {
  it('are an e-mail, a phone number or an https address', () => {
    expect(read('Acme SMS', 'help@acme.example')).toEqual({
      name: 'Acme SMS',
      contact: 'mailto:help@acme.example',
    })
    expect(read('', '')).toEqual({ name: undefined, contact: undefined })
    expect(read('Ама & Söhne', '+233 (30) 123-4567').contact).toBe('tel:+233301234567')
    expect(read('A', 'tel:+233301234567').contact).toBe('tel:+233301234567')
    expect(read('A', 'mailto:help@acme.example').contact).toBe('mailto:help@acme.example')
    expect(read('A', 'https://acme.example/help?from=sms').contact).toBe('https://acme.example/help?from=sms')
    // A question mark would begin the headers of a mail.
    expect(read('A', 'help?cc=all@acme.example').contact).toBe('mailto:help%3Fcc%3Dall@acme.example')
  })

  it.each([
    ['a\u0000b', ''],
    ['a\nb', ''],
    ['a\u202eb', ''],
    ['x'.repeat(61), ''],
    ['A', 'javascript:alert(1)'],
    ['A', 'http://acme.example'],
    ['A', 'https://user:password@acme.example'],
    ['A', 'ask at the door'],
    ['A', '12'],
    ['A', `https://acme.example/${'x'.repeat(3_000_000)}`],
  ])('are refused with what was expected: %s', (name, contact) => {
    const reading = () => read(name, contact)
    expect(reading).toThrow(ConfigError)
    expect(reading).toThrow(/^WIGWAG_OPERATOR_(?:NAME|CONTACT): expected .{40,400}$/s)
  })

  it('are where people sign in, join, are suspended, let assistants in, or need money', async () => {
    const operator = read('Acme <SMS>', 'help@acme.example')
    const world = await openWorld({ config: { operator } })
    const { url, gateway } = world
    const link = '<a href="mailto:help@acme.example">help@acme.example</a>'
    const stranger = createPerson()
    for (const path of ['/sign-in', '/invited', '/join']) {
      const { text } = await stranger.visit(url + path)
      expect(text).toContain('This service is run by <bdi>Acme &lt;SMS&gt;</bdi>')
      expect(text).toContain(link)
    }
    const ama = await world.resident()
    const assistant = await world.assistant()
    expect((await ama.person.visit(assistant.authorizeUrl())).text).toContain(link)
    await consent(ama, assistant)
    await gateway.operator.setStatus(ama.accountId, 'suspended')
    const refused = await stranger.submit(await stranger.visit(`${url}/sign-in`), {
      email: ama.email,
      password: ama.password,
    })
    expect(wordsOf(refused)).toContain('This account is suspended.')
    expect(refused.text).toContain(link)
    const { text } = await call(url, ama, { path: SINGLE, body: single() })
    expect(JSON.parse(text).detail).toBe('The account is suspended. Ask Acme <SMS> (help@acme.example).')
  })

  it('are nowhere while they are not set', async () => {
    const { url } = await openWorld()
    const { text } = await createPerson().visit(`${url}/sign-in`)
    expect(text).not.toContain('is run by')
    expect(text).not.toContain('mailto:')
  })
})
