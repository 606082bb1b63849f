import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shownFiles, UNTIL, withoutNotices } from '../first-release.ts'

const root = join(import.meta.dirname, '../..')
/** The first release takes this change into the changelog. */
const isReleased = !existsSync(join(root, '.changeset/first-release.md'))
/** A command that gets a package from a registry, or an import of one. */
const TAKES = /(?:\b(?:npm (?:i|install|add|exec)|npx|pnpm|yarn|bunx)\b[^\n`]*|from |require\()['"]?@wigwag\//
/** Generated, and read beside the SDK's README. */
const REFERENCE = 'docs/sdk/README.md'

const files = shownFiles(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
const pages = files.filter(({ file, text }) => file.endsWith('.md') && file !== REFERENCE && TAKES.test(text))
const samples = files.filter(({ file, text }) => file.endsWith('.ts') && text.includes(UNTIL))

describe('until the first release', () => {
  it('looks at the pages and samples from which packages are taken', () => {
    expect(pages.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'README.md',
        'docs/connector.md',
        'packages/mcp/README.md',
        'packages/sdk/README.md',
      ]),
    )
    expect(pages.length).toBeGreaterThan(10)
  })

  it.each(pages.map(({ file, text }) => [file, text] as const))(
    '%s says how to take a package from a clone, before it takes one from a registry; afterwards no more',
    (_, text) => {
      const [before = ''] = text.split(TAKES, 1)
      expect(before.includes(UNTIL)).toBe(!isReleased)
    },
  )

  it('so do the samples that the console shows', () => {
    expect(samples.map(({ file }) => file)).toEqual(
      isReleased
        ? []
        : ['console/developers/snippets.ts', 'console/pieces/samples.ts'].map(
            (file) => `packages/server/src/${file}`,
          ),
    )
  })
})

describe('the first release', () => {
  it('takes the lines out, and leaves what is around them', () => {
    const text = `Install it:\n\n${UNTIL}, from a clone.\n\nnpm install it\n\nSo.\n${UNTIL}, not.\nYes.\n`
    expect(withoutNotices(text)).toBe('Install it:\n\nnpm install it\n\nSo.\nYes.\n')
    expect(withoutNotices(withoutNotices(text))).toBe(withoutNotices(text))
  })

  it('leaves none of them, and no gap where one was', () => {
    for (const { file, text } of [...pages, ...samples]) {
      const after = withoutNotices(text)
      expect(after, file).not.toContain(UNTIL)
      if (!text.includes('\n\n\n')) expect(after, file).not.toContain('\n\n\n')
    }
  })
})
