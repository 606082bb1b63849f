import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makeEmptyPlace } from '../../support/engine.ts'

const STEPS = readdirSync(new URL('../../../migrations', import.meta.url)).sort()
const PROGRAM = fileURLToPath(new URL('./migrate.process.ts', import.meta.url))
const run = promisify(execFile)

it.each(['an SQLite file', 'PostgreSQL'] as const)(
  'the migrations on %s are taken by one of two processes that start at once',
  async (engine) => {
    const { url, remove } = await makeEmptyPlace(engine)
    onTestFinished(remove)
    const outputs = await Promise.all([1, 2].map(() => run(process.execPath, [PROGRAM, url])))
    expect(outputs.flatMap(({ stdout }) => JSON.parse(stdout)).sort()).toEqual(STEPS)
  },
)
