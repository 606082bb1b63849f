import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guides, readPage } from '../operating/page.ts'
import { runPage } from '../operating/run.ts'
import { createStore } from './project.ts'

const TEN_MINUTES = 600_000
const followed = guides().filter(({ needs }) => needs.includes('project'))

let store: string
beforeAll(async () => {
  store = await createStore(await mkdtemp(join(tmpdir(), 'wigwag-guides-')))
})
afterAll(() => rm(store, { recursive: true }))

describe('a guide, followed in a fresh folder', () => {
  it('is each of these', () =>
    expect(followed.map(({ file }) => file)).toEqual([
      'docs/guides/going-live.md',
      'docs/guides/one-time-codes.md',
      'docs/guides/phone-numbers.md',
      'docs/guides/testing.md',
    ]))

  it.each(followed)('works to its end, in ten minutes: $file', { timeout: TEN_MINUTES }, (page) =>
    runPage(page, { by: 'test', store }),
  )
})

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`
const guide = (...fences: string[]) =>
  readPage('a-guide.md', ['<!-- tested with: project -->\n', ...fences].join('\n'))

describe('the runner of guides', () => {
  it('writes a file that says its name, and runs others beside', async () => {
    const page = guide(
      fence('js', "// a/one.js\nconsole.log('it runs'); setInterval(() => {}, 1000)"),
      fence('sh beside', 'node a/one.js'),
      fence('sh', 'grep "it runs" "$HERE"/beside-*.log'),
    )
    await runPage(page, { by: 'test', store })
  })

  it('says at which line a test of the guide failed', async () => {
    const test =
      "// a.test.ts\nimport { test } from 'node:test'\ntest('fails', () => { throw new Error('it does') })"
    const page = guide(fence('ts', test), fence('sh', 'node --test a.test.ts'))
    await expect(runPage(page, { by: 'test', store })).rejects.toThrow('a-guide.md:9: a command')
  })

  it('runs a workflow on a machine that knows no gateway, and fails with it', async () => {
    const workflow = (...steps: string[]) =>
      guide(
        fence(
          'yaml',
          [
            '# .github/workflows/a.yml',
            'jobs:',
            '  a:',
            '    steps:',
            ...steps.map((step) => `      - run: ${step}`),
          ].join('\n'),
        ),
      )
    const passes = workflow(
      'if printenv WIGWAG_SECRET; then exit 1; fi',
      'echo "ONE=1" >> "$GITHUB_ENV"',
      'test "$ONE" = 1',
    )
    await runPage(passes, { by: 'test', store })
    await expect(runPage(workflow('false'), { by: 'test', store })).rejects.toThrow('a step ended with 1')
  })

  it('refuses to install what is not here', async () => {
    const page = guide(fence('sh', 'npm install left-pad-of-nobody'))
    await expect(runPage(page, { by: 'test', store })).rejects.toThrow('left-pad-of-nobody is neither')
  })
})
