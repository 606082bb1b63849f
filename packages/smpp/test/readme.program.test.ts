import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const packages = join(import.meta.dirname, '..')
const SOURCES = join(packages, '../../scripts/test/from-sources.ts')

it('begins its README with a program that runs as it is', async () => {
  const readme = await readFile(join(packages, 'README.md'), 'utf8')
  const [, program = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const folder = await mkdtemp(join(import.meta.dirname, 'readme-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'first.ts'), program)
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    SOURCES,
    join(folder, 'first.ts'),
  ])
  expect(stdout).toMatch(/^accepted \[ '[0-9a-f]+' \]$/m)
  expect(stdout).toMatch(/^[0-9a-f]+ to 233241234567: delivered$/m)
})
