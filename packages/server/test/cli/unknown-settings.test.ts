import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { unknownSettings } from '../../src/operate/doctor/settings-here.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const database = `file:${join(folder, 'settings.db')}`
const RETAIN_DAY = 'WIGWAG_RETAIN_DAY is no setting, and nothing reads it: did you mean WIGWAG_RETAIN_DAYS?'

/** The lines of `wigwag doctor` about settings. */
async function settingsIn(cwd: string, env: Record<string, string>): Promise<string[]> {
  await runProgram(['migrate', '--database', database], { cwd })
  const { stdout } = await runProgram(['doctor', '--database', database], { cwd, env })
  return stdout.split('\n').filter((line) => /^\w+ +settings /.test(line))
}

describe('a name in the environment that no setting has', () => {
  it('is found by the doctor, in .env too, with the setting that was probably meant', async () => {
    const cwd = join(folder, 'mistyped')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.env'), 'WIGWAG_RETENTION_DAYS=90\n')
    const found = await settingsIn(cwd, { WIGWAG_RETAIN_DAY: '30', WIGWAG_COLOUR: 'a secret' })
    expect(found.map((line) => line.replace(/^warn +settings +/, '')).sort()).toEqual([
      'WIGWAG_COLOUR is no setting, and nothing reads it: docs/settings.md lists them all',
      RETAIN_DAY,
      'WIGWAG_RETENTION_DAYS is no setting, and nothing reads it: did you mean WIGWAG_RETAIN_DAYS?',
    ])
  })

  it('is a warning in the log of a gateway that starts', async () => {
    const running = startProgram(['serve', '--port', '0', '--database', database], {
      cwd: folder,
      env: { WIGWAG_RETAIN_DAY: '30', WIGWAG_LOG_LEVEL: 'warn' },
    })
    await eventually('it listens', () => {
      if (running.child.exitCode !== null) throw new Error(running.stderr())
      return running.stderr().includes('is listening on')
    })
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(running.stderr()).toContain(RETAIN_DAY)
  })

  it('is none that the carriers’ file names for a password, even where the file has problems', async () => {
    const north = { url: 'smpp://acme@smsc.example:2775', passwordEnv: 'WIGWAG_NORTH_PASSWORD', window: 'x' }
    const routes = [{ prefix: '', carriers: ['north'] }]
    writeFileSync(join(folder, 'carriers.json'), JSON.stringify({ carriers: { north }, routes }))
    const env = { WIGWAG_CARRIER: 'file:./carriers.json', WIGWAG_NORTH_PASSWORD: 'secret' }
    expect(await settingsIn(folder, env)).toEqual([
      expect.stringMatching(/^ok .* WIGWAG_ name here is known$/),
    ])
    const alone = await settingsIn(folder, { WIGWAG_NORTH_PASSWORD: 'secret' })
    expect(alone).toEqual([expect.stringContaining('WIGWAG_NORTH_PASSWORD is no setting')])
  })

  it('is none that the SDK, the connector or a command reads', () => {
    const root = join(import.meta.dirname, '../../../..')
    const sources = globSync('packages/{sdk,mcp,server,contract}/src/**/*.{ts,tsx}', { cwd: root })
    const read = sources.flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/\bWIGWAG_[A-Z]+(?:_[A-Z]+)*\b/g) ?? [],
    )
    expect(read).toContain('WIGWAG_CALLBACK_SECRET')
    const environment = Object.fromEntries(read.map((name) => [name, '']))
    const settings = {
      ...loadConfig({}, {}),
      carrier: { given: 'simulator', folder: '.', variables: () => environment },
    }
    expect(unknownSettings(settings)).toEqual([])
  })
})
