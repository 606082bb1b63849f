/**
 * Until the first release the packages are on no registry. Pages and samples say what to do instead, each in one line with
 * these words. The release takes those lines out: scripts/versions.ts.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const UNTIL = 'Until the first release'

/** The files that may say so: not those that say how it is taken out, and no record of what was. */
const SHOWN = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'packages/*/src/**/*.ts', 'examples/**/*.ts']
const RECORDS = /^(?:CHANGELOG\.md|docs\/(?:decisions|reports)\/)/

/** Every file of a checkout that tells a reader what to install. */
export function shownFiles(root: string): string[] {
  return globSync(SHOWN, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !RECORDS.test(file))
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

/** Takes the lines out of every file. Done again, it changes nothing. */
export function takeOutNotices(root: string): void {
  for (const file of shownFiles(root)) {
    const text = readFileSync(join(root, file), 'utf8')
    if (text.includes(UNTIL)) writeFileSync(join(root, file), withoutNotices(text))
  }
}
