/** docs/guides: what they do with other people's test runners, Jest and Playwright, followed as `npm test` follows the rest. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from '../../../packages/server/test/browser/chromium.ts'
import { createStore } from '../../test/guides/project.ts'
import { guides } from '../../test/operating/page.ts'
import { runPage } from '../../test/operating/run.ts'
import { type Idea, type Row, row } from './idea.ts'
import { installed, versionOf } from './install.ts'

export const guidesThere: Idea = {
  files: {},
  async run() {
    const place = await mkdtemp(join(tmpdir(), 'wigwag-guides-'))
    try {
      const store = await createStore(place, [installed()])
      const browser = await findBrowser()
      const rows: Row[] = []
      const version = `${versionOf('jest')}, ${versionOf('@playwright/test')}`
      for (const page of guides().filter(({ blocks }) => blocks.some(({ runBy }) => runBy === 'runtimes'))) {
        const what = 'Jest and Playwright'
        const work = () => runPage(page, { by: 'runtimes', store, browser })
        rows.push(await row({ what, version, does: `follow ${page.file}` }, work))
      }
      return rows
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  },
}
