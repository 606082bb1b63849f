import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Engines, startEngines } from '../../lab/bench/rig/database.ts'
import { faultsOf } from './block-faults.ts'
import { operatingPages, readPage } from './page.ts'
import { runPage } from './run.ts'

const pages = operatingPages()
const commandsOf = (text: string) => readPage('a-page.md', text)
const fence = (mark: string, text: string) => `\`\`\`sh ${mark}\n${text}\n\`\`\`\n`

describe('every command of a page for operators', () => {
  let folder: string | undefined
  let engines: Engines | undefined
  afterAll(async () => {
    await engines?.stop()
    if (folder) await rm(folder, { recursive: true })
  })
  async function emptyDatabase(name: string): Promise<string> {
    folder ??= await mkdtemp(join(tmpdir(), 'wigwag-pages-'))
    engines ??= await startEngines(folder, ['postgres'])
    return (await engines.make('postgres', name)).url
  }

  it.each(pages.filter(({ blocks }) => blocks.some(({ runBy }) => runBy === 'test')))(
    'works, in order: $file',
    { timeout: 90_000 },
    async (page) => {
      const name = page.file.replace(/\W+/g, '_')
      const postgresUrl = page.needs.includes('postgres') ? await emptyDatabase(name) : undefined
      await runPage(page, { by: 'test', postgresUrl })
    },
  )

  it.each(pages)('that is not run here can be read, and names what exists: $file', async ({ blocks }) => {
    const faults: string[] = []
    for (const block of blocks.filter(({ runBy, done }) => runBy !== 'test' || done))
      for (const fault of await faultsOf(block)) faults.push(`line ${block.line}: ${fault}`)
    expect(faults).toEqual([])
  })
})

describe('the runner of pages', () => {
  it('says at which line a command failed', async () => {
    const page = commandsOf(`# A page\n\n${fence('', 'true')}\n${fence('', 'false | cat')}`)
    await expect(runPage(page, { by: 'test', postgresUrl: undefined })).rejects.toThrow(
      'a-page.md:7: a command',
    )
  })

  it('keeps variables from block to block', async () => {
    const page = commandsOf(`${fence('', 'name=value')}text\n${fence('', '[ "$name" = value ]')}`)
    await runPage(page, { by: 'test', postgresUrl: undefined })
  })

  it('does not run what needs another machine, and finds commands and files in it that do not exist', async () => {
    const { blocks } = commandsOf(
      fence(
        'docker',
        'docker compose exec gateway wigwag doctor --fast\ncat deploy/nothing.yaml\nsudo wigwag mend',
      ),
    )
    expect(blocks.map(({ runBy }) => runBy)).toEqual(['none'])
    expect(await Promise.all(blocks.map(faultsOf))).toEqual([
      [
        'there is no deploy/nothing.yaml',
        'wigwag doctor --fast: it has no --fast',
        'there is no command wigwag mend',
      ],
    ])
  })

  it('refuses a mark that it does not know', () => {
    expect(() => commandsOf(fence('sometimes', 'true'))).toThrow('a-page.md:1: expected sh with one of')
  })
})
