import { raw } from 'hono/html'
import type { FormTicket } from './forms.ts'
import { type Markup, markup } from './markup.ts'
import { STYLESHEET } from './stylesheet.ts'

export interface Frame {
  title: string
  body: Markup
  /** The signed-in person, with the ticket of the sign-out form. */
  signedIn?: { email: string; form: FormTicket }
  /** Uses the wide layout, for pages with tables. */
  wide?: boolean
  /** The address that the browser is redirected to. */
  refresh?: string
}

/** The logo: a signal flag. */
export const flag: Markup = markup`<svg class="flag" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><rect class="field" x="1.5" y="1.5" width="21" height="21" rx="3"/><rect class="heart" x="7.5" y="7.5" width="9" height="9"/></svg>`
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='1.5' y='1.5' width='21' height='21' rx='3' fill='%23fff' stroke='%237d868d'/%3E%3Crect x='7.5' y='7.5' width='9' height='9' fill='%23c8321f'/%3E%3C/svg%3E"

/** Puts a page's body into the common layout. No scripts and no external resources. */
export function layout({ title, body, signedIn, wide, refresh }: Frame): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh !== undefined && markup`<meta http-equiv="refresh" content="0; url=${refresh}">`}
<title>${title} · Wigwag</title>
<link rel="icon" href="${ICON}">
<style>${raw(STYLESHEET)}</style>
</head>
<body>
<div class="${wide ? 'frame wide' : 'frame'}">
<header class="top">
<span class="brand">${flag}Wigwag</span>
${signedIn && signOut(signedIn)}
</header>
<main>
${body}
</main>
</div>
</body>
</html>
`.toString()
}

/** The hidden field that every form carries. */
export function ticketField({ name, value }: FormTicket): Markup {
  return markup`<input type="hidden" name="${name}" value="${value}">`
}

function signOut({ email, form }: NonNullable<Frame['signedIn']>): Markup {
  return markup`<form method="post" action="/sign-out" class="person">${ticketField(form)}<span class="soft">${email}</span> <button class="link">Sign out</button></form>`
}
