import { DAY_MS } from '../kernel/time/spans.ts'
import { readCookie, writeCookie } from '../net/pages/cookie.ts'
import type { FormTicket } from '../net/pages/forms.tsx'
import { ticketField } from '../net/pages/layout.tsx'
import type { Markup } from '../net/pages/markup.ts'
import type { PageContext } from '../net/pages/reply.ts'

export type Theme = 'light' | 'dark'

/** Not a secret, so one name does for every address. */
const PLACE = { name: 'wigwag_theme', secure: false }
const KEPT_MS = 365 * DAY_MS
const NAMES = { none: 'System', light: 'Light', dark: 'Dark' } as const

/** A person's choice; without one the system's. */
export function themeOf(c: PageContext): Theme | undefined {
  const chosen = readCookie(PLACE, c.req.header('cookie'))
  return chosen === 'light' || chosen === 'dark' ? chosen : undefined
}

/** The cookie that keeps a choice; anything else clears the earlier choice. */
export function themeCookie(chosen: string | null, now: number): string {
  const isTheme = chosen === 'light' || chosen === 'dark'
  return writeCookie(PLACE, isTheme ? chosen : '', new Date(isTheme ? now + KEPT_MS : 0))
}

/** Three buttons, of which the one in force is pressed. */
export function themeChoice({ theme, form, here }: ThemeChoice): Markup {
  const buttons = Object.entries(NAMES).map(([value, name]) => (
    <button class="second tiny" name="theme" value={value} aria-pressed={String(value === (theme ?? 'none'))}>
      {name}
    </button>
  ))
  return (
    <form method="post" action="/theme">
      {ticketField(form)}
      <input type="hidden" name="back" value={here} />
      <div class="together" role="group" aria-label="Theme">
        <span class="soft" aria-hidden="true">
          Theme
        </span>
        {buttons}
      </div>
    </form>
  )
}

export interface ThemeChoice {
  theme: Theme | undefined
  form: FormTicket
  /** The page to come back to. */
  here: string
}
