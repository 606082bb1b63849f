import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { INSTEAD, isReleased, shownFiles, UNTIL } from '../first-release.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = shownFiles(root).map((file) => ({ file, text: read(file) }))

describe('the pages agree', () => {
  it('on where Cursor’s settings go: not into the folder of a project, which is often shared', () => {
    const places = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/(\S*)\.cursor\/mcp\.json/g)].map(([place]) => [
        file,
        place.replace(/^\W*(?=~)/, ''),
      ]),
    )
    expect(places.length).toBeGreaterThan(3)
    expect(places.filter(([, place]) => place !== '~/.cursor/mcp.json')).toEqual([])
  })

  it('on how long the gateway keeps an idempotency key', () => {
    const said = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:keeps|kept)\b[^.|]{0,15}\bfor (\d+) hours/g)].map(([, hours]) => [file, hours]),
    )
    expect(said.length).toBeGreaterThan(3)
    expect(said.filter(([, hours]) => hours !== '24')).toEqual([])
  })

  it('on where the packages come from until the first release: one sentence, which leads to the page that says how', () => {
    const said = pages
      .filter(({ file }) => file !== INSTEAD && file !== 'SECURITY.md')
      .flatMap(({ file, text }) => {
        const lines = text.split('\n').filter((line) => line.includes(UNTIL))
        expect(lines.length, file).toBeLessThan(2)
        return lines.map((line) => [file, line.trim()] as const)
      })
    expect(said.length > 15).toBe(!isReleased(root))
    for (const [file, line] of said) {
      const address = `https://github.com/wigwag/wigwag/blob/main/${INSTEAD}`
      const link = file.startsWith('packages/') ? address : posix.relative(dirname(file), INSTEAD)
      const isPage = file.endsWith('.md')
      expect(line, file).toBe(
        isPage
          ? `${UNTIL}, the packages come [from a clone](${link}).`
          : `// ${UNTIL}, the packages come from a clone (${address}).`,
      )
    }
    const others = pages.filter(({ file, text }) => file !== INSTEAD && /packed\/\*\.tgz/.test(text))
    expect(others.map(({ file }) => file)).toEqual([])
  })

  it('on the command: npx wigwag for developers, wigwag for operators, whom a section tells when it is about a clone', () => {
    const written = pages.flatMap(({ file, text }) =>
      text.split(/^#+ /m).flatMap((section) =>
        commandsIn(section).map((npx) => ({
          file,
          isRight: OPERATORS.test(file) ? npx === '' || section.includes('clone') : npx !== '',
        })),
      ),
    )
    expect(written.length).toBeGreaterThan(100)
    expect(written.filter(({ isRight }) => !isRight)).toEqual([])
    expect(pages.filter(({ text }) => /npm run (?:-s |--silent )?wigwag/.test(text))).toEqual([])
  })

  it('on the names that mean one thing: each is one of the document', () => {
    const concepts = read('docs/concepts.md')
    const table = concepts.slice(
      concepts.indexOf('## Names that mean one thing'),
      concepts.indexOf('## Money'),
    )
    const { schemas } = parse(read('openapi.yaml')).components
    const named = (column: number) =>
      table
        .split('\n')
        .flatMap((row) => [...(row.split('|')[column] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
    const columns = [
      [2, ['SmsMessage']],
      [3, ['SendResult']],
      [4, ['Transaction', 'ScheduledMessage']],
      [5, ['CallbackPayload']],
    ] as const
    for (const [column, names] of columns) {
      const fields = names.flatMap((name) => Object.keys(schemas[name].properties))
      expect(named(column).length).toBeGreaterThan(1)
      for (const name of named(column)) expect(fields).toContain(name)
    }
  })

  it('on their words: each stands once, in order, and is used in the file that is its home', () => {
    const rows = [...read('docs/words.md').matchAll(/^\| (?<word>[^|`]+) \| .* \| `(?<home>\S+)` \|$/gm)]
    const words = rows.map(({ groups }) => groups?.word ?? '')
    expect(words.length).toBeGreaterThan(80)
    expect(words).toEqual([...new Set(words)].sort())
    const strangers = rows.flatMap(({ groups: { word = '', home = '' } = {} }) => {
      const at = home.startsWith('.') ? home : `packages/server/src/${home}`
      return plain(read(at)).includes(plain(word)) ? [] : [`${word} in ${home}`]
    })
    expect(strangers).toEqual([])
  })

  it('on three walks: each names files that are there, as many as it says', () => {
    const walks =
      read('CONTRIBUTING.md').split('## Three walks')[1]?.split('## ')[0]?.split('**').slice(1) ?? []
    const lists = walks.flatMap(
      (walk) => walk.match(/[\w./-]+\.tsx?(?:\s→\s[\w./-]+\.tsx?)+\. \d+ files/g) ?? [],
    )
    expect(lists.length).toBe(4)
    for (const list of lists) {
      let folder = ''
      const files = (list.match(/[\w./-]+\.tsx?/g) ?? []).map((name) => {
        if (name.includes('/')) folder = name.slice(0, name.lastIndexOf('/') + 1)
        return `${folder}${name.slice(name.lastIndexOf('/') + 1)}`
      })
      expect(files.filter((file) => !isThere(file))).toEqual([])
      expect(list).toMatch(new RegExp(`\\. ${new Set(files).size} files$`))
    }
  })
})

/** Pages that are read on a machine where the program is installed. Any other is for developers. */
const OPERATORS =
  /^docs\/(?:operating\b|carriers|connector|conform|command-line|settings|threat-model|scale|words)|^SECURITY/

/** The commands of `wigwag` in the blocks of a text: for each, `npx ` or nothing, as it begins. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```(?:sh|console|)(?: \w+)?\n([\s\S]*?)^ *```/gm)]
  return blocks.flatMap(([, block = '']) =>
    [...block.matchAll(/^ *(?:\$ )?(npx )?wigwag /gm)].map(([, npx = '']) => npx),
  )
}

/** Whether a file of the gateway's sources, or of another package's, has this name. */
function isThere(file: string): boolean {
  const [first = '', ...rest] = file.split('/')
  const places = [`packages/server/src/${file}`, `packages/${first}/src/${rest.join('/')}`]
  return places.some((place) => existsSync(join(root, place)))
}

/** A text without what words are joined or parted by: `handOver`, `hand-over` and `hand over` are one word. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '')
}
