import { raw } from 'hono/html'
import type { FormTicket } from './forms.tsx'
import { type Markup, render } from './markup.ts'
import { STYLESHEET } from './stylesheet.ts'

export interface Frame {
  title: string
  body: Markup
  /** The address that the browser is redirected to. */
  refresh?: string
}

/** The logo: a signal flag. */
export const flag: Markup = (
  <svg class="flag" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <rect class="field" x="1.5" y="1.5" width="21" height="21" rx="3" />
    <rect class="heart" x="7.5" y="7.5" width="9" height="9" />
  </svg>
)
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='1.5' y='1.5' width='21' height='21' rx='3' fill='%23fff' stroke='%237d868d'/%3E%3Crect x='7.5' y='7.5' width='9' height='9' fill='%23c8321f'/%3E%3C/svg%3E"

/** Puts a page's body into the common layout. No scripts and no external resources. */
export function layout({ title, body, refresh }: Frame): string {
  return render(
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          {refresh !== undefined && <meta http-equiv="refresh" content={`0; url=${refresh}`} />}
          <title>{title} · Wigwag</title>
          <link rel="icon" href={ICON} />
          <style>{raw(STYLESHEET)}</style>
        </head>
        <body>
          <div class="frame">
            <header class="top">
              <span class="brand">{flag}Wigwag</span>
            </header>
            <main>{body}</main>
          </div>
        </body>
      </html>
    </>,
  )
}

/** The hidden field that every form carries. */
export function ticketField({ name, value }: FormTicket): Markup {
  return <input type="hidden" name={name} value={value} />
}
