/**
 * The pages of the repository as those of a site. They are written for GitHub: a link from one to another stays one here, and
 * a link to any other file leads to the repository.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { CONTENTS, DECISIONS, type Entry, HOME, REFERENCE } from './contents.ts'

const REPOSITORY = 'https://github.com/wigwag/wigwag'
/** Beside the pages, in the repository and on the site. */
export const PICTURES = 'docs/pictures'

export interface SitePage {
  /** Where it is in the repository. */
  source: string
  /** Where it is on the site: `sdk/index.md`. */
  path: string
  title: string
  says: string
  /** Markdown whose links are those of the site. */
  text: string
}

/** A page in the contents, with those that are folded away below it. */
export interface Place extends SitePage {
  below: Place[]
}

export interface Site {
  home: SitePage
  sections: { title: string; places: Place[] }[]
  /** All of them, in the order of the contents. The pages of the SDK's names come last: their index lists them. */
  pages: SitePage[]
}

export function readSite(root: string): Site {
  const read = (source: string) => readFileSync(join(root, source), 'utf8')
  const names = pagesIn(join(root, dirname(REFERENCE), 'reference')).map(
    (name): Entry => ({ source: `${dirname(REFERENCE)}/reference/${name}`, says: 'a name of the SDK' }),
  )
  const sections = CONTENTS.map(({ title, entries }) => ({
    title,
    entries: entries.map((entry) =>
      entry.source === DECISIONS ? { ...entry, below: decisionsOf(read(DECISIONS)) } : entry,
    ),
  }))
  const entries = [HOME, ...sections.flatMap((section) => section.entries.flatMap(withBelow)), ...names]
  const paths = new Map(entries.map(({ source }) => [source, pathOf(source)]))
  const pages = new Map(
    entries.map(({ source, says }) => {
      const text = withSiteLinks(withoutComments(read(source)), source, { root, paths })
      return [source, { source, path: pathOf(source), title: titleOf(source, text), says, text }]
    }),
  )
  const pageOf = ({ source }: Entry): SitePage => {
    const page = pages.get(source)
    if (!page) throw new Error(`${source} is not among the pages`)
    return page
  }
  const placeOf = (entry: Entry): Place => ({ ...pageOf(entry), below: (entry.below ?? []).map(placeOf) })
  return {
    home: pageOf(HOME),
    sections: sections.map((section) => ({ title: section.title, places: section.entries.map(placeOf) })),
    pages: [...pages.values()],
  }
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function withBelow(entry: Entry): Entry[] {
  return [entry, ...(entry.below ?? []).flatMap(withBelow)]
}

function pagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .toSorted()
}

/** The rows of the index of decisions: `| [money](money.md) | units, holds and charges |`. */
function decisionsOf(index: string): Entry[] {
  return [...index.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\) \| (.+) \|$/gm)].map(
    ([, name = '', says = '']) => ({ source: `${dirname(DECISIONS)}/${name}`, says }),
  )
}

/** `docs/` and the name README are of the repository: `docs/sdk/README.md` is `sdk/index.md`. */
function pathOf(source: string): string {
  const [, name] = /^packages\/(\w+)\/README\.md$/.exec(source) ?? []
  if (name !== undefined) return `packages/${name}.md`
  return source.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}

function titleOf(source: string, text: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`${source}: expected a heading that begins with #`)
  return title.replaceAll('`', '')
}

/** Notes to authors, at the beginning of a line. */
function withoutComments(text: string): string {
  return text.replaceAll(/^<!--[\s\S]*?-->\n*/gm, '')
}

interface Around {
  root: string
  /** The pages: from their place in the repository to that on the site. */
  paths: ReadonlyMap<string, string>
}

function withSiteLinks(text: string, source: string, around: Around): string {
  return outsideCode(text, (part) =>
    part.replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${siteLink(link, source, around)})`),
  )
}

function siteLink(link: string, source: string, { root, paths }: Around): string {
  const [target = '', hash] = link.split('#')
  const place = placeInRepository(target, source)
  if (place === undefined) return link
  const end = hash === undefined ? '' : `#${hash}`
  const page = paths.get(place) ?? (place.startsWith(`${PICTURES}/`) ? pathOf(place) : undefined)
  if (page !== undefined) return posix.relative(dirname(pathOf(source)), page) + end
  if (!existsSync(join(root, place))) throw new Error(`${source}: the link ${link} leads nowhere`)
  const kind = statSync(join(root, place)).isDirectory() ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/main/${place}${end}`
}

/** Undefined for a link within the page, and for one to somebody else's site. */
function placeInRepository(target: string, source: string): string | undefined {
  const [, place] = /^https:\/\/github\.com\/wigwag\/wigwag\/(?:blob|tree)\/main\/(.+)$/.exec(target) ?? []
  if (place !== undefined) return place
  if (target === '' || /^[a-z]+:/i.test(target)) return undefined
  return posix.join(dirname(source), decodeURIComponent(target))
}

/** Changes a text, and leaves its code alone: blocks between fences, and what is between backticks. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('')
}
