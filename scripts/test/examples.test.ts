import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TRIALS } from '../lab/runtimes/example-trials.ts'
import { readPage } from './operating/page.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const folders = readdirSync(join(root, 'examples')).filter((name) =>
  statSync(join(root, 'examples', name)).isDirectory(),
)
const projects = Object.keys(TRIALS).toSorted()

/** The piece of a page that says it is this file. */
function shown(page: string, file: string): string | undefined {
  return read(page)
    .split(/^```\w*\n/m)
    .find((piece) => piece.startsWith(`// ${file}\n`))
}

describe('examples/README.md', () => {
  const page = read('examples/README.md')

  it('lists every folder there is', () => {
    const linked = [...page.matchAll(/\]\((\w[\w-]*)\)/g)].map(([, folder]) => folder)
    expect(linked.toSorted()).toEqual(folders.toSorted())
  })

  it('lists the projects that are tried from a copy, each with the command of its README', () => {
    const rows = [...page.matchAll(/^\| (\[.*\)) \| .* \| `(.*)` \|$/gm)].flatMap(([, links = '', command]) =>
      [...links.matchAll(/\]\((.*?)\)/g)].map(([, name]) => [name, command]),
    )
    expect(rows.map(([name]) => name).toSorted()).toEqual(projects)
    for (const [name, command] of rows) {
      const { blocks } = readPage('README.md', read(`examples/${name}/README.md`))
      const copy = `cp -R wigwag/examples/${name} ${name} && cd ${name}`
      expect(blocks[0]?.text).toBe(`${copy}\nnpm install\n${command}\n`)
    }
  })
})

describe('an example', () => {
  it.each(projects)('is a project of at most eight files, with a README of a screen: %s', (name) => {
    const place = join(root, 'examples', name)
    const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    expect(files.length).toBeLessThanOrEqual(8)
    for (const { parentPath, name: file } of files)
      expect(readFileSync(join(parentPath, file), 'utf8').split('\n').length, file).toBeLessThanOrEqual(120)
    expect(read(`examples/${name}/README.md`).split('\n').length).toBeLessThanOrEqual(40)
    expect(JSON.parse(read(`examples/${name}/package.json`))).toMatchObject({
      name,
      private: true,
      engines: { node: '>=22.18' },
    })
  })

  it.each(
    projects.flatMap((name) => {
      const { dependencies, devDependencies } = JSON.parse(read(`examples/${name}/package.json`))
      const all: Record<string, string> = { ...dependencies, ...devDependencies }
      return Object.entries(all).map(([dependency, range]) => [name, dependency, range] as const)
    }),
  )('of %s names a range of %s: %s', (_, dependency, range) => {
    expect(range).toMatch(/^[\^~]\d/)
    if (dependency.startsWith('@wigwag/'))
      expect(range).toBe(`^${JSON.parse(read('packages/sdk/package.json')).version}`)
  })
})

describe('a file that is in two places', () => {
  const guides = 'docs/guides'
  it.each([
    ['codes-express/codes.ts', `${guides}/one-time-codes.md`],
    ['codes-next/codes.ts', `${guides}/one-time-codes.md`],
    ['playwright/sign-in.ts', `${guides}/testing.md`],
    ['playwright/playwright.config.ts', `${guides}/testing.md`],
    ['playwright/sign-in.spec.ts', `${guides}/testing.md`],
    ['receiver-nest/callbacks.controller.ts', 'packages/sdk/README.md'],
  ])('is the same word for word: %s and %s', (file, page) => {
    const [, name = ''] = file.split('/')
    expect(`${shown(page, name)?.split('```')[0]}`).toBe(read(`examples/${file}`))
  })

  it('is the same word for word: callbacks.ts of the receivers', () => {
    const texts = projects
      .filter((name) => name.startsWith('receiver-'))
      .map((name) => read(`examples/${name}/callbacks.ts`))
    expect(texts.length).toBe(3)
    expect(new Set(texts).size).toBe(1)
  })
})
