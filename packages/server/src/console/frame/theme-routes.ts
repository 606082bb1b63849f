import { themeCookie } from '../../pages/theme.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { localPath } from '../../portal/index.ts'
import type { ConsoleParts } from '../parts.ts'
import type { Pages } from './pages.ts'

/** Keeps a person's choice of light or dark, and goes back to the page that it was made on. */
export function mountTheme(pages: Pages, { clock }: ConsoleParts): void {
  pages.change('/theme', { right: 'read' }, async (_, form) =>
    goTo(
      localPath(form.get('back') ?? undefined) ?? '/messages',
      themeCookie(form.get('theme'), clock.now()),
    ),
  )
}
