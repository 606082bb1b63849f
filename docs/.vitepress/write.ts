/** Writes what is read from the site as text: its pages as Markdown, and the two files for language models (llmstxt.org). */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PICTURES, type Place, type Site } from './pages.ts'

/** The pages where the builder finds them, and no others. */
export function stage(site: Site, root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  writeMarkdown(site, root, folder)
}

/** Each page as `.md` beside its `.html`, `llms.txt` and `llms-full.txt`. */
export function publishText(site: Site, root: string, folder: string): void {
  writeMarkdown(site, root, folder)
  writeFileSync(join(folder, 'llms.txt'), llmsText(site))
  writeFileSync(join(folder, 'llms-full.txt'), llmsFullText(site))
}

function writeMarkdown({ pages }: Site, root: string, folder: string): void {
  for (const { path, text } of pages) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  cpSync(join(root, PICTURES), join(folder, PICTURES.replace(/^docs\//, '')), { recursive: true })
}

export const SUMMARY =
  'Send SMS from your program or your assistant, and trust what it says about the money: a gateway, a typed client, and a connector with ten tools.'

function llmsText({ home, sections }: Site): string {
  const parts = sections.flatMap(({ title, places }) => [
    `## ${title}`,
    places.flatMap((place) => [place, ...place.below].map(lineOf)).join('\n'),
  ])
  const more =
    'All pages in one file: [llms-full.txt](llms-full.txt). Every page is HTML at the same address with `.html`.'
  return `${['# Wigwag', `> ${SUMMARY}`, more, lineOf(home), ...parts].join('\n\n')}\n`
}

function lineOf({ title, path, says }: Omit<Place, 'below'>): string {
  return `- [${title}](${path}): ${says}`
}

function llmsFullText({ pages }: Site): string {
  return pages.map(({ path, text }) => `Page: ${path}\n\n${text.trim()}\n`).join('\n---\n\n')
}
