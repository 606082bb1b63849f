import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { anchorOf, type Place, readSite } from './pages.ts'
import { publishText, SUMMARY, stage } from './write.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = join(root, 'docs/.vitepress/.cache/pages')
const site = readSite(root)
const base = process.env.SITE_BASE ?? '/'
const pageAt = new Map(site.pages.map((page) => [page.path, page]))
stage(site, root, pages)
const ICON = 'pictures/icon.svg'

export default defineConfig({
  title: 'Wigwag',
  description: SUMMARY,
  lang: 'en',
  base,
  srcDir: pages,
  outDir: join(root, 'docs/.vitepress/dist'),
  cacheDir: join(root, 'docs/.vitepress/.cache/vite'),
  head: [['link', { rel: 'icon', href: `${base}${ICON}`, type: 'image/svg+xml' }]],
  // Addresses of a gateway on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    // The pages are Markdown as GitHub shows it: braces and angle brackets are text.
    attrs: { disable: true },
    html: false,
  },
  transformPageData(page) {
    const found = pageAt.get(page.relativePath)
    if (!found) return
    // Without headings there is nothing to list beside the text.
    if (!/^## /m.test(found.text)) page.frontmatter.aside = false
    return { title: found.title, description: found.says.replaceAll('`', '') }
  },
  transformHead: ({ page }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: page.split('/').at(-1) ?? '' }],
  ],
  buildEnd: ({ outDir }) => publishText(site, root, outDir),
  themeConfig: {
    logo: `/${ICON}`,
    search: { provider: 'local' },
    nav: [{ text: 'Repository', link: 'https://github.com/wigwag/wigwag' }],
    sidebar: site.sections.map(({ title, places }) => ({ text: title, items: places.map(itemOf) })),
    outline: [2, 3],
  },
})

function itemOf({ title, path, below }: Place): DefaultTheme.SidebarItem {
  const link = `/${path.replace(/(?:index)?\.md$/, '')}`
  return { text: title, link, ...(below.length > 0 && { collapsed: true, items: below.map(itemOf) }) }
}
