/**
 * Draws the icon of the connector's one-click bundle from its SVG. Run it after a change of the mark:
 *
 *   node scripts/lab/pictures/icon.ts
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../../../packages/server/test/browser/chromium.ts'

const SIZE = 512

const folder = join(import.meta.dirname, '../../../packages/mcp/bundle')
const drawing = readFileSync(join(folder, 'icon.svg'), 'utf8')
const browser = await launchBrowser()
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } })
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${drawing}`)
  await page.screenshot({ path: join(folder, 'icon.png'), omitBackground: true })
} finally {
  await browser.close()
}
