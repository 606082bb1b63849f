import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leavingPage, refusedPage } from '../../../src/assistants/consent/leaving.tsx'
import { consentPage } from '../../../src/assistants/consent/page.tsx'
import { errorPage } from '../../../src/net/pages/error.tsx'
import { signInPage } from '../../../src/web/console/reception/sign-in.tsx'
import { anyCharacter } from '../../support/any-character.ts'
import { CONSENT, TICKET } from './views.ts'

/** Every page, with the same text wherever other people's words may come in. */
const pages: Record<string, (words: string) => string> = {
  'the sign-in page': (words) =>
    signInPage({
      query: words,
      form: TICKET,
      email: words,
      error: words,
      oneClick: undefined,
      operator: { name: words, contact: words },
      passkeys: true,
    }).toString(),
  'the consent page': (words) =>
    consentPage({
      ...CONSENT,
      operator: { name: words, contact: words },
      action: words,
      client: { ...CONSENT.client, name: words, id: words, redirectHost: words, documentHost: words },
      person: { email: words, name: words },
      values: { sending: true, dailySpend: words, dailyMessages: words, recipients: words, unasked: words },
      errors: {
        dailySpend: words,
        dailyMessages: words,
        recipients: words,
        unasked: words,
      },
    }),
  'the page of a refusal': (words) =>
    refusedPage({ title: words, text: words, to: `https://courier.example/?state=${words}` }),
  'the leaving page': (words) =>
    leavingPage({
      to: `https://courier.example/?state=${words}`,
      redirectHost: words,
      client: words,
      allowed: true,
    }),
  'the error page': (words) => errorPage({ title: words, text: words, link: { href: words, text: words } }),
}

/** The tags of a page with what stands in them, but without their values and without our own words. */
function skeletonOf(page: string): string[] {
  return (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'))
}

const MARKS = ['<', '>', '"', "'", '&', '=', '`', '</style>', '<script>', '<!--', ' onfocus=', '\n']
/** Something always shows of it: a name of which nothing does is another page. */
const hostile = fc
  .oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.array(fc.constantFrom(...MARKS)).map((marks) => marks.join('')),
  )
  .map((words) => `a${words}`)

describe.each(Object.entries(pages))('%s', (_, page) => {
  const plain = skeletonOf(page('plain'))

  it('is made of the same tags whatever anybody writes', () => {
    fc.assert(
      fc.property(hostile, (words) => {
        expect(skeletonOf(page(words))).toEqual(plain)
      }),
      { numRuns: 500 },
    )
  })

  it('runs no script, and asks for nothing from elsewhere', () => {
    const text = page('plain')
    expect(text).not.toMatch(/<script|<img|<link rel="stylesheet|@import|url\(|\son\w+=|style="/i)
  })
})
