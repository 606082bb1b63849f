import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createFormTickets } from '../../../src/net/pages/forms.tsx'

const HOME = 'https://sms.example.com'

function open(publicUrl = HOME, key = 'a key') {
  const tickets = createFormTickets({ key, publicUrl: () => publicUrl, randomBytes })
  /** A browser that opens a page: its cookie, and the form that it would post. */
  function visit() {
    const { form, setCookie = '' } = tickets.issue(undefined)
    return {
      cookie: setCookie.split(';')[0],
      form: new URLSearchParams({ [form.name]: form.value }),
      setCookie,
    }
  }
  const own = { origin: new URL(publicUrl).origin, fetchSite: 'same-origin' }
  return { tickets, visit, own }
}

describe('a posted form', () => {
  it('is taken from the browser that was given the page', () => {
    const { tickets, visit, own } = open()
    const { cookie, form } = visit()
    expect(tickets.accepts({ ...own, cookie }, form)).toBe(true)
  })

  it('is taken from a browser that says nothing of where it comes from', () => {
    const { tickets, visit } = open()
    const { cookie, form } = visit()
    expect(tickets.accepts({ cookie, origin: undefined, fetchSite: undefined }, form)).toBe(true)
  })

  it('is turned away without a cookie', () => {
    const { tickets, visit, own } = open()
    expect(tickets.accepts({ ...own, cookie: undefined }, visit().form)).toBe(false)
  })

  it('is turned away without a ticket, and with one that is none', () => {
    const { tickets, visit, own } = open()
    const { cookie } = visit()
    for (const form of ['', 'form_ticket=', 'form_ticket=guess', `form_ticket=${'A'.repeat(43)}`])
      expect(tickets.accepts({ ...own, cookie }, new URLSearchParams(form))).toBe(false)
  })

  it('is turned away when another browser posts it', () => {
    const { tickets, visit, own } = open()
    expect(tickets.accepts({ ...own, cookie: visit().cookie }, visit().form)).toBe(false)
  })

  it('is turned away when another site made the browser post it', () => {
    const { tickets, visit, own } = open()
    const { cookie, form } = visit()
    for (const origin of [
      'https://evil.example',
      'http://sms.example.com',
      'https://sms.example.com:8443',
      'null',
    ])
      expect(tickets.accepts({ ...own, cookie, origin }, form), origin).toBe(false)
    for (const fetchSite of ['cross-site', 'same-site'])
      expect(tickets.accepts({ cookie, origin: undefined, fetchSite }, form), fetchSite).toBe(false)
  })

  it('is turned away when its ticket was signed with another key', () => {
    const { form, cookie } = open(HOME, 'another key').visit()
    const { tickets, own } = open()
    expect(tickets.accepts({ ...own, cookie }, form)).toBe(false)
  })

  it('is turned away when its cookie is not one that we made', () => {
    const { tickets, own } = open()
    const { form } = tickets.issue('__Host-wigwag_form=chosen-by-somebody')
    const ticket = new URLSearchParams({ [form.name]: form.value })
    expect(tickets.accepts({ ...own, cookie: '__Host-wigwag_form=chosen-by-somebody' }, ticket)).toBe(false)
  })
})

describe('the cookie of forms', () => {
  it('is set once, so that several open pages stay good', () => {
    const { tickets, own, visit } = open()
    const { cookie, form } = visit()
    const again = tickets.issue(`other=1; ${cookie}`)
    expect(again.setCookie).toBeUndefined()
    const later = new URLSearchParams({ [again.form.name]: again.form.value })
    expect([form, later].map((each) => tickets.accepts({ ...own, cookie }, each))).toEqual([true, true])
  })

  it('has a ticket that looks different on each page, so that compressing a page gives none of it away', () => {
    const { tickets, visit } = open()
    const { cookie, form } = visit()
    expect(tickets.issue(cookie).form.value).not.toBe(form.get('form_ticket'))
  })

  it('is bound to the host over https, and plain without', () => {
    expect(open().visit().setCookie).toMatch(
      /^__Host-wigwag_form=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(open('http://127.0.0.1:8080').visit().setCookie).toMatch(
      /^wigwag_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  it('is not itself the ticket', () => {
    const { cookie = '', form } = open().visit()
    expect(cookie).not.toContain(form.get('form_ticket'))
  })
})
