import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('the page for coding agents', () => {
  const text = read('AGENTS.md')
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? []
  const commands = block.trim().split('\n')

  it('has commands that package.json has, for files and steps that are there', () => {
    expect(commands.length).toBeGreaterThan(5)
    const steps = [...read('scripts/check.ts').matchAll(/^ {2}'?([\w-]+)'?: '/gm)].map(([, name]) => name)
    for (const command of commands) {
      const [, run, start, given = ''] =
        /^npm (?:run ([\w:]+)|(start|test))(?: -- ([^#]*))?\s*(?:#.*)?$/.exec(command) ?? []
      expect(Object.keys(manifest.scripts), command).toContain(run ?? start)
      for (const word of given.split(/\s+/).filter((word) => /^packages\//.test(word))) {
        expect(existsSync(join(root, word)), word).toBe(true)
      }
      if (run === 'check') for (const step of given.trim().split(/\s+/)) expect(steps).toContain(step)
    }
  })

  it('names files and folders that are there', () => {
    const named = [...text.matchAll(/`((?:docs|packages|scripts|deploy|examples)[\w./-]*|openapi\.yaml)`/g)]
    expect(named.length).toBeGreaterThan(8)
    for (const [, place = ''] of named) expect(existsSync(join(root, place)), place).toBe(true)
  })
})

describe.each(['sdk', 'mcp', 'smpp', 'conform', 'server'])('the page for agents that use %s', (name) => {
  const text = read(`packages/${name}/AGENTS.md`)
  const own = JSON.parse(read(`packages/${name}/package.json`))

  it('is packed, and is about the version that it is packed with', () => {
    expect(own.files).toContain('AGENTS.md')
    expect(text).toContain(`\n\nVersion ${own.version}. `)
  })

  it('says how to install, what is easy to get wrong, how errors look, and where to read on', () => {
    expect(text).toContain(`\nnpm install @wigwag/${name}\n`)
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    expect(headings.filter((heading) => heading !== 'Tests')).toEqual([
      'Rules that are easy to get wrong',
      'Errors',
      'Where to read on',
    ])
  })

  it('leads to pages that there are, from wherever it is read', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const pages = links.map(
      (link) => /^https:\/\/github\.com\/wigwag\/wigwag\/blob\/main\/(.+)$/.exec(link)?.[1],
    )
    expect(pages.length).toBeGreaterThan(1)
    for (const page of pages) expect(existsSync(join(root, page ?? 'no page')), page).toBe(true)
  })
})
