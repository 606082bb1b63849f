import { errorPage } from './error.tsx'
import { pageReply } from './reply.ts'

/** The reply to a form that did not come from one of our pages in this browser. Links to a page of our public address. */
export function notFromHere(publicUrl: string, home = '/messages'): Response {
  const page = errorPage({
    title: 'This form can’t be used',
    text: 'It did not come from a page of this service in this browser, or the browser keeps no cookies. Nothing was done.',
    link: { href: `${publicUrl}${home}`, text: 'Start again' },
  })
  return pageReply(page, { status: 403 })
}
