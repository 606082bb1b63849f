import { describe, expect, it, onTestFinished } from 'vitest'
import type { Config } from '../src/config/config.ts'
import { ENGINES_WITH_FILE } from './support/bench.ts'
import { makePlace } from './support/engine.ts'
import { openFront } from './support/front.ts'

const PRODUCTION: Partial<Config> = { environment: 'production', secret: 'a secret of tests' }
const SANDBOX: Partial<Config> = { environment: 'sandbox', secret: 'a secret of tests' }

describe.each(ENGINES_WITH_FILE.filter((engine) => engine !== 'SQLite in memory'))(
  'a database on %s',
  (engine) => {
    it.each([
      ['a production gateway', PRODUCTION, SANDBOX, 'this database belongs to production'],
      ['a sandbox', SANDBOX, PRODUCTION, 'this database belongs to a sandbox, whose money is not real'],
    ])('belongs to %s, whatever else is the same', async (_, first, other, said) => {
      const { url, remove } = await makePlace(engine)
      onTestFinished(remove)
      const open = async (config: Partial<Config>) => (await openFront(url, config)).close()
      await open(first)
      await open(first)
      await expect(open(other)).rejects.toThrow(said)
      await open(first)
    })
  },
)
