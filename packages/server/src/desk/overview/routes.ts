import { markup } from '../../platform/pages/markup.ts'
import { LOOK } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { DeskParts } from '../parts.ts'
import { overviewPart } from './page.ts'
import { createReadOverview } from './read.ts'

const EVERY_MS = 2_000

/** Whether all is well, and what to do first if not. */
export function mountOverview(pages: Pages, parts: DeskParts): void {
  const read = createReadOverview(parts)
  pages.show('/', LOOK, async () => ({
    title: 'Overview',
    place: 'overview',
    body: markup`<div class="head"><h1>Overview</h1><span class="end soft small" id="live-state"></span></div>
<div id="part" data-live="/live">${overviewPart(await read())}</div>`,
  }))
  pages.live('/live', LOOK, {
    read: async () => overviewPart(await read()).toString(),
    everyMs: EVERY_MS,
  })
}
