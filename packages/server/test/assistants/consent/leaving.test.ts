import { describe, expect, it } from 'vitest'
import { leavingPage } from '../../../src/assistants/consent/leaving.tsx'

const TO = 'https://courier.example/callback?code=a&state=b&iss=c'
const view = { to: TO, redirectHost: 'courier.example', client: 'Courier', allowed: true }

describe('the page that leads back to an assistant', () => {
  it('goes there by itself, and has a link for who stays', () => {
    const page = leavingPage(view)
    const written = TO.replaceAll('&', '&amp;')
    expect(page).toContain(`<meta http-equiv="refresh" content="0; url=${written}">`)
    expect(page).toContain(`<a class="button" href="${written}">`)
    expect(page).toContain('<h1>Connected</h1>')
  })

  it('says that an assistant was given nothing', () => {
    expect(leavingPage({ ...view, allowed: false })).toContain('was given nothing')
  })

  it('names where the answer goes, whatever lies on the way', () => {
    const page = leavingPage({ ...view, redirectHost: 'cursor://anysphere.cursor-mcp' })
    expect(page).toContain('<bdi>cursor://anysphere.cursor-mcp</bdi>')
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'view-source:https://x/',
  ])('goes nowhere near %s', (to) =>
    expect(() => leavingPage({ ...view, to })).toThrow('expected an address'),
  )
})
