import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import server from '../../packages/server/package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

describe('in a clone, where nothing is fetched for it', () => {
  it.each(['@wigwag/server', '@wigwag/mcp', 'wigwag', 'wigwag-mcp'])(
    'npx %s runs what was built',
    async (name) => {
      const env = { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error' }
      const { stdout } = await run('npx', ['-y', name, '--version'], { cwd: root, env })
      expect(stdout).toBe(`${server.version}\n`)
    },
  )
})
