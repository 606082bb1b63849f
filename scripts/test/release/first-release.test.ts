import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  isReleased,
  releaseFirst,
  shownFiles,
  UNRELEASED,
  UNTIL,
  withoutNotices,
} from '../../first-release.ts'

const root = join(import.meta.dirname, '../../..')
const released = isReleased(root)
/** A command that gets a package from a registry, or an import of one. */
const TAKES = /(?:\b(?:npm (?:i|install|add|exec)|npx|pnpm|yarn|bunx)\b[^\n`]*|from |require\()['"]?@wigwag\//
/** Generated, and read beside the SDK's README. */
const REFERENCE = 'docs/sdk/reference/'

const files = shownFiles(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
const pages = files.filter(
  ({ file, text }) => file.endsWith('.md') && !file.startsWith(REFERENCE) && TAKES.test(text),
)
const samples = files.filter(({ file, text }) => /\.tsx?$/.test(file) && text.includes(UNTIL))

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
      expect(before.includes(UNTIL)).toBe(!released)
    },
  )

  it('so do the samples that the console shows', () => {
    expect(samples.map(({ file }) => file)).toEqual(
      released
        ? []
        : ['web/console/developers/snippets.ts', 'web/console/widgets/samples.ts'].map(
            (file) => `packages/server/src/${file}`,
          ),
    )
  })
})

describe('the first release', () => {
  it('takes whole sentences out', () => {
    const lines = files.flatMap(({ text }) => text.split('\n').filter((line) => line.includes(UNTIL)))
    expect(lines.filter((line) => !line.endsWith('.'))).toEqual([])
  })

  it('takes the lines out, and leaves what is around them', () => {
    const text = `Install it:\n\n${UNTIL}, from a clone.\n\nnpm install it\n\nSo.\n${UNTIL}, not.\nYes.\n`
    expect(withoutNotices(text)).toBe('Install it:\n\nnpm install it\n\nSo.\nYes.\n')
    expect(withoutNotices(withoutNotices(text))).toBe(withoutNotices(text))
  })

  it('is the version that is there, without the words that it is not released', () => {
    const place = clone({
      'CHANGELOG.md': `# Changelog\n\n## 0.1.0${UNRELEASED}\n\nIt sends.\n`,
      'docs/page.md': `Install it:\n\n${UNTIL}, from a clone.\n\nnpm install it\n`,
      '.changeset/README.md': 'What a user will notice\n',
    })
    expect(isReleased(place)).toBe(false)
    releaseFirst(place)
    expect(isReleased(place)).toBe(true)
    expect(readFileSync(join(place, 'CHANGELOG.md'), 'utf8')).toBe('# Changelog\n\n## 0.1.0\n\nIt sends.\n')
    expect(readFileSync(join(place, 'docs/page.md'), 'utf8')).toBe('Install it:\n\nnpm install it\n')
  })

  it('is refused while changes wait that would make another version of it', () => {
    const changelog = `## 0.1.0${UNRELEASED}\n`
    const place = clone({ 'CHANGELOG.md': changelog, '.changeset/quick-fix.md': 'It sends.\n' })
    expect(() => releaseFirst(place)).toThrow(/CHANGELOG\.md, and delete \.changeset\/quick-fix\.md$/)
    expect(readFileSync(join(place, 'CHANGELOG.md'), 'utf8')).toBe(changelog)
  })

  it('leaves none of them, and no gap where one was', () => {
    for (const { file, text } of [...pages, ...samples]) {
      const after = withoutNotices(text)
      expect(after, file).not.toContain(UNTIL)
      if (!text.includes('\n\n\n')) expect(after, file).not.toContain('\n\n\n')
    }
  })
})

function clone(files: Record<string, string>): string {
  const place = mkdtempSync(join(tmpdir(), 'wigwag-first-release-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), text)
  }
  return place
}
