import { mkdtempSync, rmSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { inspect } from '../../src/operate/doctor/index.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { open } from '../support/engine.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'

const real = await files.statfs(import.meta.dirname)
let free = 0
const statfs = vi
  .spyOn(files, 'statfs')
  .mockImplementation(async () => Object.assign(real, { bavail: free, bsize: 1 }))
syncBuiltinESMExports()
afterAll(() => {
  statfs.mockRestore()
  syncBuiltinESMExports()
})

const GIB = 2 ** 30

async function look(bytes: number) {
  free = bytes
  const folder = mkdtempSync(join(FOR_DATABASES, 'wigwag-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const url = `file:${join(folder, 'wigwag.db')}`
  const database = open(url)
  onTestFinished(() => database.close())
  await migrate(database)
  const findings = await inspect(database, loadConfig({ database: url }, {}))
  return { folder, findings, of: (name: string) => findings.find(({ check }) => check === name) }
}

describe('the check of the disk', () => {
  it('names the folder of a full one and what to do, and the other checks are made all the same', async () => {
    const { folder, of } = await look(0)
    expect(of('disk')).toMatchObject({
      state: 'fail',
      detail: `0.0 GiB free in ${folder}, and nothing is accepted once it is full: make the volume larger, or move other files away; a running gateway goes on by itself`,
    })
    for (const check of ['files', 'migrations', 'ledger', 'outbox', 'carriers', 'receivers', 'sign-in'])
      expect(of(check), check).toBeDefined()
  })

  it('warns of one with less than a gibibyte, which is nothing wrong yet', async () => {
    const { of } = await look(GIB / 2)
    expect(of('disk')).toMatchObject({
      state: 'warn',
      detail: expect.stringMatching(/^0\.5 GiB free in .*: make/),
    })
    expect(of('disk')?.isWrong).toBeUndefined()
  })

  it('says no more than how much is free where that is enough', async () => {
    const { folder, of } = await look(5 * GIB)
    expect(of('disk')).toMatchObject({ state: 'ok', detail: `5.0 GiB free in ${folder}` })
  })
})
