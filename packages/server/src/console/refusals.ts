import { errorPage } from '../pages/error.ts'
import { LARGEST_FORM } from '../pages/posted-form.ts'
import { pageReply } from '../pages/reply.ts'

/** For a form that did not come from a page of ours in this browser. The way on leads to our own address. */
export function notFromHere(publicUrl: string): Response {
  const page = errorPage({
    title: 'This form can’t be used',
    text: 'It did not come from a page of this service in this browser, or the browser keeps no cookies. Nothing was done.',
    link: { href: `${publicUrl}/connections`, text: 'Start again' },
  })
  return pageReply(page, { status: 403 })
}

export function noSuchConnection(setCookie?: string): Response {
  const page = errorPage({
    title: 'There is no such connection',
    text: 'It has ended, or it is not one of your account. Nothing was done.',
    link: { href: '/connections', text: 'See what is connected' },
  })
  return pageReply(page, { status: 404, setCookie })
}

export function formTooLarge(): Response {
  const page = errorPage({
    title: 'This form is too large',
    text: `Expected at most ${LARGEST_FORM / 1_024} KiB. Nothing was done.`,
    link: { href: '/connections', text: 'Start again' },
  })
  return pageReply(page, { status: 413 })
}
