import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isReleased, shownFiles, UNTIL } from '../first-release.ts'

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

  it('on how a project takes the packages from a clone: one line, once a page', () => {
    const INDENT = /^(?:\s*\/\/)?\s*/
    const said = pages.flatMap(({ file, text }) => {
      const lines = text.split('\n').filter((line) => line.includes(UNTIL) && /npm (run|install)/.test(line))
      expect(lines.length, file).toBeLessThan(2)
      return lines.map((line) => line.replace(INDENT, '').replaceAll('\\`', '`'))
    })
    const install = (command: string) =>
      `${UNTIL}, run \`npm run pack\` in a clone, then \`${command} ../wigwag/packed/*.tgz\``
    const ofOperators = `${install('sudo npm install --global --prefix /usr/local')}.`
    const wanted = [ofOperators, `${install('npm install')} in your project.`]
    expect(new Set(said)).toEqual(new Set(isReleased(root) ? [] : wanted))
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
