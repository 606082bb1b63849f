import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './settings.ts'

const ADMIN = join(deploy, 'systemd/wigwag-admin')
const STAND_IN = join(import.meta.dirname, 'systemd-run.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wigwag-admin-'))
  script('systemd-run', `exec '${process.execPath}' '${STAND_IN}' "$@"`)
  // Says what it got: its arguments and, behind them, its input.
  script(
    'wigwag',
    `exec '${process.execPath}' -e 'process.stdout.write(JSON.stringify(process.argv.slice(1)))\nprocess.stdout.write(fs.readFileSync(0))\nprocess.exitCode = Number(process.env.CODE ?? 0)' -- "$@"`,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

function script(name: string, text: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(folder, name), 0o755)
}

function admin(args: readonly string[], env: Record<string, string> = {}, input: string | Buffer = '') {
  const { status, stdout } = spawnSync(ADMIN, args, {
    input,
    maxBuffer: 2 ** 24,
    env: {
      PATH: [folder, process.env.PATH].join(delimiter),
      PROGRAM: join(folder, 'wigwag'),
      OPTIONS: join(folder, 'options.json'),
      ...env,
    },
  })
  return { status, stdout }
}

const options = (): string[] => JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))
const valuesOf = (option: string) =>
  options().flatMap((each) => (each.startsWith(`--${option}=`) ? each.slice(option.length + 3) : []))

describe('wigwag-admin', () => {
  it.each([
    [
      'blanks',
      ['wallet', 'debit', 'ops@acme.example', '--reason', 'a chargeback, case 17', '', ' ', 'two  words'],
    ],
    ['quotes and signs of the shell', ["it's", '"quoted"', '\\', '`id`', '*', '~', '%n', ';', '&', '$(id)']],
    [
      'dollar signs',
      ['$HOME', '$', '$$', '$$$', 'costs $5', '$'.concat('{HOME}'), 'a$', '$ $', '$'.repeat(3_000)],
    ],
    ['lines, and what is no ASCII', ['two\nlines', 'at the end\n\n', '\n', '\t', 'Ama’s „Shop“ 🙂']],
    ['what looks like options', ['--', '-n', '-', '--json']],
    ['a long text', ['x'.repeat(100_000)]],
    ['nothing', []],
  ])('gives the command its arguments as they are: %s', (_, args) => {
    const { status, stdout } = admin(args)
    expect(status).toBe(0)
    expect(JSON.parse(String(stdout))).toEqual(args)
  })

  it.each([0, 1, 2, 3])('ends with the exit code of the command: %i', (code) => {
    expect(admin(['doctor'], { CODE: String(code) }).status).toBe(code)
  })

  it('gives the command its input, byte for byte', () => {
    const input = Buffer.alloc(2 ** 21, 'a\0\r\n\xff$HOME', 'latin1')
    const { stdout } = admin(['rates', 'import', '-'], {}, input)
    expect(stdout.equals(Buffer.concat([Buffer.from('["rates","import","-"]'), input]))).toBe(true)
  })

  it('says for the audit log who used sudo', () => {
    admin(['doctor'], { SUDO_USER: 'ama' })
    expect(valuesOf('setenv')).toContain('SUDO_USER=ama')
    admin(['doctor'])
    expect(valuesOf('setenv')).toContain('SUDO_USER=')
  })

  it('has the user, the settings and the folders of the unit', () => {
    admin(['doctor'])
    const unit = readFileSync(join(deploy, 'systemd/wigwag.service'), 'utf8').split('\n')
    const variables = unit
      .filter((line) => line.startsWith('Environment='))
      .flatMap((line) => line.slice('Environment='.length).split(' '))
    expect(unit).toEqual(expect.arrayContaining(valuesOf('property')))
    const own = valuesOf('setenv').filter((each) => !each.startsWith('SUDO_USER='))
    expect(variables).toEqual(expect.arrayContaining(own))
    const names = valuesOf('property').map((each) => each.split('=')[0])
    // Which of them a command needs. The others of the unit restrict a program that is open to the network.
    for (const name of ['User', 'DynamicUser', 'StateDirectory', 'EnvironmentFile', 'BindReadOnlyPaths'])
      expect(names).toContain(name)
    const settings = variables.filter((each) => each.startsWith('WIGWAG_'))
    expect(own).toEqual(expect.arrayContaining(settings))
    expect(unit).toContain(`ExecStart=${/-- (\S+) "\$@"$/m.exec(readFileSync(ADMIN, 'utf8'))?.[1]} serve`)
  })
})
