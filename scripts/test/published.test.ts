import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../../packages')

it.each(['mcp', 'server'])('what %s publishes imports no package that is not published', async (name) => {
  const dist = join(packages, name, 'dist')
  const files = (await readdir(dist)).filter((file) => /\.(?:js|d\.ts)$/.test(file))
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) {
    const text = await readFile(join(dist, file), 'utf8')
    expect(text, file).not.toMatch(/(?:from|import)\s*\(?\s*['"]@wigwag\/contract['"]/)
  }
})
