import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorOf } from '../../docs/.vitepress/pages.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'AGENTS.md',
  ...['sdk', 'mcp', 'smpp', 'conform', 'server'].flatMap((name) =>
    ['README', 'AGENTS'].map((page) => `packages/${name}/${page}.md`),
  ),
  ...['docs', 'examples', 'scripts/lab/reports'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.md') && !/^(?:node_modules|\.vitepress)\//.test(file))
      .map((file) => `${folder}/${file}`),
  ),
].map((page) => join(root, page))

describe('a link of a page', () => {
  it.each(pages.map((page) => page.slice(root.length + 1)))('leads somewhere: %s', (page) => {
    const file = join(root, page)
    const dead = linksOf(file).filter((link) => !leadsSomewhere(file, link))
    expect(dead).toEqual([])
  })

  it('is found dead when its heading is gone', () => {
    const page = join(root, 'README.md')
    expect(leadsSomewhere(page, 'CONTRIBUTING.md#style')).toBe(true)
    expect(leadsSomewhere(page, 'CONTRIBUTING.md#no-such-heading')).toBe(false)
    expect(leadsSomewhere(page, 'no-such-page.md')).toBe(false)
  })
})

/** Links to files and headings here; addresses of the web are not asked. */
function linksOf(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8'))
  return [...text.matchAll(/\]\(<?([^)>\s]+)>?(?: "[^"]*")?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/i.test(link))
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const file = path === '' ? from : resolve(dirname(from), decodeURIComponent(path))
  if (!existsSync(file)) return false
  return heading === undefined || !file.endsWith('.md') || headingsOf(file).has(heading)
}

/** The anchors of a page, as GitHub makes them: the second of the same name is numbered. */
function headingsOf(file: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(readFileSync(file, 'utf8'), /```[\s\S]*?```/g).matchAll(
    /^#{1,6} (.*)$/gm,
  )) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const anchor = anchorOf(plain)
    let numbered = anchor
    for (let times = 1; anchors.has(numbered); times++) numbered = `${anchor}-${times}`
    anchors.add(numbered)
  }
  return anchors
}

function withoutCode(text: string, code = /```[\s\S]*?```|`[^`\n]*`/g): string {
  return text.replaceAll(code, '')
}
