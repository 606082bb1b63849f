/**
 * Until the first release the packages are on no registry. One page says what to do instead, and all other pages and samples
 * lead there, each in one line with these words. The release takes those lines out: scripts/versions.ts.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const UNTIL = 'Until the first release'
/** The page that says it. */
export const INSTEAD = 'docs/from-a-clone.md'
/** Ends the first release's heading in the changelog until then. */
export const UNRELEASED = ' (not yet released)'
const CHANGELOG = 'CHANGELOG.md'

/** Files that may have such lines: no scripts that take them out, and no records of the past. */
const SHOWN = [
  '*.md',
  'docs/**/*.md',
  'packages/*/{README,AGENTS}.md',
  'packages/*/src/**/*.{ts,tsx}',
  'examples/**/*.md',
]
const RECORDS = /^(?:CHANGELOG\.md|docs\/decisions\/)/
/** The site of the docs: its packages, its program and its products. */
const OF_THE_SITE = /^docs\/(?:node_modules|\.vitepress)\//

/** Every file of a checkout that tells a reader what to install. */
export function shownFiles(root: string): string[] {
  return globSync(SHOWN, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !RECORDS.test(file) && !OF_THE_SITE.test(file))
    .toSorted()
}

/** A text without those lines, and without the blank line after one that stood alone. */
export function withoutNotices(text: string): string {
  const lines = text.split('\n')
  return lines
    .filter((line, at) => {
      const [before = '', beforeThat = ''] = [lines[at - 1], lines[at - 2]]
      const isGap = line === '' && before.includes(UNTIL) && beforeThat === ''
      return !line.includes(UNTIL) && !isGap
    })
    .join('\n')
}

/** Whether the first release was made: until then its heading in the changelog says that it was not. */
export function isReleased(root: string): boolean {
  return !readFileSync(join(root, CHANGELOG), 'utf8').includes(UNRELEASED)
}

/**
 * Makes the first release. The packages already have its version, and the changelog describes it. A change that waits in
 * `.changeset` is refused: it describes a difference from something never released, and would raise the version.
 */
export function releaseFirst(root: string): void {
  const waiting = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'))
  if (waiting.length > 0) {
    throw new Error(
      `.changeset: expected no changes before the first release; put what users should know into ${CHANGELOG}, and delete ${waiting.toSorted().join(', ')}`,
    )
  }
  for (const file of shownFiles(root)) change(join(root, file), withoutNotices)
  change(join(root, CHANGELOG), (text) => text.replace(UNRELEASED, ''))
}

function change(file: string, edit: (text: string) => string): void {
  const text = readFileSync(file, 'utf8')
  const edited = edit(text)
  if (edited !== text) writeFileSync(file, edited)
}
