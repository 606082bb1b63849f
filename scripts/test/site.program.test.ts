import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSite } from '../../docs/.vitepress/pages.ts'
import { shareBrowser } from '../../packages/server/test/browser/chromium.ts'
import { tooWideBy } from '../../packages/server/test/browser/walk.ts'
import { eventually } from '../../packages/server/test/support/eventually.ts'

const root = join(import.meta.dirname, '../..')
const site = readSite(root)
const base = '/docs-of-wigwag/'

/** Ends a build that hangs, and judges no speed: it is all processor time, and others may want the processors. */
const BUILT_WITHIN_MS = 1_800_000

let program: ChildProcess
let url: string
const requested: string[] = []
const complaints: string[] = []
beforeAll(async () => {
  program = spawn(process.execPath, ['scripts/site.mjs', '--serve', '--port', '0'], {
    cwd: root,
    env: { ...process.env, SITE_BASE: base },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  url = await eventually(
    'the site is built and served',
    () => {
      if (program.exitCode !== null) throw new Error(said)
      return /^http:\S+$/m.exec(said)?.[0]
    },
    BUILT_WITHIN_MS,
  )
}, BUILT_WITHIN_MS)
afterAll(async () => {
  if (program.exitCode !== null) return
  const ended = once(program, 'exit')
  program.kill()
  await ended
})

const get = async (path: string) => {
  const response = await fetch(new URL(path, url))
  expect(response.status, path).toBe(200)
  return response.text()
}
const htmlOf = (path: string) => path.replace(/\.md$/, '.html')

describe('the site of the docs', () => {
  it('has each page as HTML with its title, and beside it as Markdown', async () => {
    for (const { path, title, text } of site.pages) {
      expect(plain(await get(htmlOf(path))), path).toContain(title)
      expect(await get(path)).toBe(text)
    }
  })

  it('has no link that leads nowhere, and all pages are reached by links', async () => {
    const pages = new Map<string, string>()
    const waiting = [url]
    const dead: string[] = []
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (pages.has(at)) continue
      const response = await fetch(at)
      if (!response.ok) dead.push(at)
      const isPage = response.headers.get('content-type')?.startsWith('text/html')
      const text = isPage ? await response.text() : ''
      pages.set(at, text)
      waiting.push(...linksOf(text, at).map(({ page }) => page))
    }
    for (const [at, text] of pages) {
      for (const { page, anchor } of linksOf(text, at)) {
        const isThere = anchor === '' || pages.get(page)?.includes(`id="${anchor}"`)
        if (!isThere) dead.push(`${at} → ${page}#${anchor}`)
      }
    }
    expect(dead).toEqual([])
    const reached = new Set([...pages.keys()].map((page) => page.replace(/\/$/, '/index.html')))
    expect(site.pages.map(({ path }) => url + htmlOf(path)).filter((page) => !reached.has(page))).toEqual([])
  })

  it('has llms.txt with a line for each page of its contents, and all pages in llms-full.txt', async () => {
    const index = await get('llms.txt')
    expect(index).toMatch(/^# Wigwag\n\n> \S/)
    const listed = [...index.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, path]) => path)
    const contents = site.pages.filter(({ path }) => !path.startsWith('sdk/reference/'))
    expect(listed).toEqual(contents.map(({ path }) => path))
    const full = await get('llms-full.txt')
    for (const { text } of site.pages) expect(full).toContain(text.trim())
  })

  it('finds a page by a word of its text', async () => {
    const page = await open({ width: 1280 })
    await page.goto(url)
    await page.getByRole('button', { name: 'Search' }).click()
    const words = 'chargeback'
    const found = site.pages.filter(({ text }) => text.includes(words))
    expect(found.map(({ path }) => path)).toEqual(['operating/watching.md'])
    await page.locator('input[type=search]').fill(words)
    await page.getByRole('option').first().getByText('Watching a gateway').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/operating\/watching\.html/)
    await page.context().close()
  })

  it.each([1280, 390])('fits a window of %i pixels', async (width) => {
    const page = await open({ width })
    const wide: string[] = []
    for (const { path } of site.pages.filter(({ path }) => !path.startsWith('sdk/reference/'))) {
      await page.goto(url + htmlOf(path))
      const by = await tooWideBy(page)
      if (by > 0) wide.push(`${path}: ${by}`)
    }
    expect(wide).toEqual([])
    await page.context().close()
  })

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(28, 34, 38)'],
  ] as const)('has the colours of the console where it is %s', async (theme, paper) => {
    const page = await open({ width: 1280, theme })
    await page.goto(url)
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(paper)
    await page.context().close()
  })

  it('shows the index of the SDK’s reference on one screen', async () => {
    const page = await open({ width: 1280 })
    await page.goto(`${url}sdk/`)
    const last = page.locator('.vp-doc a').last()
    expect(await last.textContent()).toMatch(/^\w+$/)
    const box = await last.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(300)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(900)
    await page.context().close()
  })

  it('asks nothing of another host, and runs without an error', () => {
    expect(requested.length).toBeGreaterThan(100)
    expect(requested.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
  })
})

async function open(screen: { width: number; theme?: 'light' | 'dark' }): Promise<Page> {
  const browser = await shareBrowser()
  const context = await browser.newContext({
    viewport: { width: screen.width, height: 900 },
    colorScheme: screen.theme ?? 'light',
  })
  const page = await context.newPage()
  page.on('request', (request) => requested.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return page
}

/** The links of a page to pages of this site, absolute, and the heading that each names. */
function linksOf(text: string, at: string): { page: string; anchor: string }[] {
  return [...text.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, link = '']) => {
    const { origin, pathname, hash, href } = new URL(link.replaceAll('&amp;', '&'), at)
    if (origin !== new URL(url).origin || !href.startsWith('http')) return []
    return [{ page: origin + pathname, anchor: decodeURIComponent(hash.slice(1)) }]
  })
}

function plain(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
