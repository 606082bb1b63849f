import { describe, expect, it } from 'vitest'
import { redirectPlace } from '../../../src/assistants/consent/leaving.tsx'
import { consentPage } from '../../../src/assistants/consent/page.tsx'
import { CONSENT, consentOf } from '../../platform/pages/views.ts'

describe('the consent', () => {
  it('names who asks, where the answer goes, the wallet and the person', () => {
    const page = consentPage(CONSENT)
    for (const text of [
      '“<bdi class="name">Courier</bdi>”',
      'courier.example',
      'GHS',
      'Ama Mensah',
      'ama@example.com',
    ])
      expect(page).toContain(text)
    expect(page).toContain('It chose this name by itself.')
  })

  it('says where a description was fetched from only when it was, and no more than that', () => {
    const fetched = 'Its description was fetched from <bdi>https://courier.example/client.json</bdi>.'
    expect(consentPage(CONSENT)).toContain(fetched)
    expect(consentPage(CONSENT)).not.toMatch(/checked: |belongs to/i)
    const { documentHost: _, ...client } = CONSENT.client
    const unknown = consentPage({ ...CONSENT, client: { ...client, uri: 'https://courier.example/about' } })
    expect(unknown).not.toContain('fetched from')
    expect(unknown).toContain('It says that it belongs to <bdi>courier.example</bdi>. Nobody has checked')
  })

  it.each([
    ['http://127.0.0.1:33418/callback', 'A program on this computer.'],
    ['http://localhost:6274/oauth/callback', 'A program on this computer.'],
    ['http://[::1]:9/', 'A program on this computer.'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'that opens “cursor:” links'],
    ['com.example.app:/callback', 'that opens “com.example.app:” links'],
  ])('warns of an answer to %s', (uri, warning) => {
    expect(consentPage(consentOf(redirectPlace(uri)))).toContain(warning)
  })

  it.each([
    'https://courier.example/callback',
    'https://localhost.courier.example/',
    'https://127.0.0.1.courier.example/',
  ])('warns of nothing for %s', (uri) => {
    expect(consentPage(consentOf(redirectPlace(uri)))).not.toContain('note warn')
  })

  it('shows the whole of a long host, because its end says whose it is', () => {
    const host = `${'courier.example.'.repeat(14)}evil.example`
    expect(consentPage(consentOf({ redirectHost: host }))).toContain(`<bdi>${host}</bdi>`)
  })

  it('offers no sending to who asks to read only', () => {
    const page = consentPage({ ...CONSENT, asksSending: false })
    expect(page).toContain('<input type="hidden" name="access" value="read">')
    expect(page).not.toMatch(/value="send"|daily_spend/)
  })

  it('can be denied whatever is in its fields', () => {
    expect(consentPage(CONSENT)).toMatch(/<button name="decision" value="deny"[^>]* formnovalidate>/)
  })

  it('comes back with what was typed, and each error at its field', () => {
    const page = consentPage({
      ...CONSENT,
      values: { sending: true, dailySpend: '5,00', dailyMessages: '50', recipients: '0244', unasked: 'send' },
      errors: { dailySpend: 'Wrong sum.', recipients: 'Wrong number.' },
    })
    expect(page).toMatch(
      /<input[^>]* aria-describedby="limit-spend-error" aria-invalid="true" name="daily_spend" value="5,00"/,
    )
    expect(page).toContain('id="limit-spend-error">Wrong sum.<')
    expect(page).toMatch(
      /aria-describedby="limit-recipients-hint limit-recipients-error" aria-invalid="true"/,
    )
    expect(page).toContain('<title>Error: ')
  })
})
