import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const WITH_PASSWORD = 'https://user:a-password@sms.example.com'
const wigwag = (...args: string[]) => runProgram(args, { cwd: folder })

describe('wigwag', () => {
  it('shows every command on stdout when it is asked for help', async () => {
    const { code, stdout, stderr } = await wigwag('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of 'serve migrate backup doctor smsc account number wallet audit sender rates carriers messages callbacks send bulk status balance listen conform help completion'.split(
      ' ',
    )) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z].*\\.$`, 'm'))
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('describes every command, and every command of a command, in one sentence', async () => {
    const check = (command: Command) => {
      for (const child of command.commands) {
        // A point within is one of a number, such as 3.4.
        expect(child.description()).toMatch(/^[A-Z](?:[^.]|\.(?=\d))*\.$/)
        check(child)
      }
    }
    check(await createProgram(() => true))
  })

  it.each([
    [['help', 'send'], '--content <text>'],
    [['help', 'messages', 'settle'], 'success charges the held price'],
    [['help', 'messages'], 'settle [ticket] [status]'],
    [['help'], 'Usage: wigwag'],
    [['carriers', 'test', '--help'], 'needs --from'],
    [['account', '--help'], 'rotate-callback-secret <account>'],
    [['account', 'create', '--help'], '--password-stdin'],
    [['carriers', 'pause', '--help'], 'pause [options] [carrier]'],
    [['messages', 'settle', '--help'], 'success charges the held price'],
    [['rates', 'import', '--help'], 'country,mcc,mnc,network,price,currency'],
  ])('explains a command and its subcommands: %j', async (args, part) => {
    const { code, stdout, stderr } = await wigwag(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(part)
  })

  it.each<[string, string[], string]>([
    ['no command', [], 'Usage: wigwag'],
    ['an unknown command', ['sned'], 'Did you mean send?'],
    ['an unknown subcommand', ['account', 'delete'], "unknown command 'delete'"],
    [
      'help for an unknown command',
      ['help', 'messages', 'setle'],
      'wigwag messages has no command "setle"; did you mean settle?',
    ],
    ['an unknown option', ['balance', '--colour'], "unknown option '--colour'"],
    ['a missing option', ['account', 'create', '--name', 'Acme'], '--email'],
    ['a missing argument', ['wallet', 'credit', '--amount', '5'], "missing required argument 'account'"],
    ['one argument too many', ['status', 'a', 'b'], 'too many arguments'],
    [
      'an e-mail that is none',
      ['account', 'create', '--name', 'A', '--email', 'acme'],
      'Expected an e-mail address',
    ],
    [
      'a currency that is none',
      ['account', 'create', '--name', 'A', '--email', 'a@b', '--currency', 'cedi'],
      'Expected the code of a currency in use (ISO 4217)',
    ],
    [
      'a currency that is not in use any more',
      ['account', 'create', '--name', 'A', '--email', 'a@b', '--currency', 'GHC'],
      'in capital letters, such as GHS.',
    ],
    [
      'a balance that is none',
      ['account', 'create', '--name', 'A', '--email', 'a@b', '--balance', '1,5'],
      'Expected an amount such as 50',
    ],
    [
      'a sender that is none',
      ['account', 'create', '--name', 'A', '--email', 'a@b', '--sender', ' A'],
      'Expected 1 to 11 letters',
    ],
    ['a URL that is none', ['balance', '--url', 'gateway'], 'Expected a URL such as'],
    ['a URL with a password', ['balance', '--url', WITH_PASSWORD], 'without user name and password'],
    [
      'a mistyped URL with a password',
      ['balance', '--url', `x${WITH_PASSWORD}`],
      'without user name and password',
    ],
    [
      'a receiver with a password',
      ['listen', '--forward-to', WITH_PASSWORD],
      'without user name and password',
    ],
    ['a database with a password', ['account', 'list', '--database', 'postgres:u:a-password@db'], '…@db'],
    ['a recipient that is none', ['carriers', 'test', '0241234567'], 'Expected 7 to 15 digits'],
    ['a status that settles nothing', ['messages', 'settle', 'x', 'expired'], 'success, failed'],
    ['a port that is none', ['listen', '--port', '70000'], 'Expected a port from 0 to 65535'],
    [
      'a database that is none',
      ['account', 'list', '--database', 'mysql://x'],
      'expected a database such as',
    ],
    ['a database that is none, to serve on', ['serve', '--database', 'sqlite:./x.db'], 'got sqlite'],
    ['a database in memory', ['migrate', '--database', ':memory:'], 'expected a database such as'],
    [
      'no credentials',
      ['balance'],
      'there is no WIGWAG_CLIENT_ID, no WIGWAG_CLIENT_SECRET, no WIGWAG_WALLET_TOKEN in .env',
    ],
  ])('exits 2 and says what it expected for %s, on stderr alone', async (_, args, expected) => {
    const { code, stdout, stderr } = await wigwag(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(stderr).not.toContain('a-password')
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['balance', 'WIGWAG_BASE_URL'],
    ['serve', 'WIGWAG_PUBLIC_URL'],
  ])('%s refuses a password in %s, and does not print it', async (command, name) => {
    for (const url of [WITH_PASSWORD, `x${WITH_PASSWORD}`]) {
      const { code, stderr } = await runProgram([command], { cwd: folder, env: { [name]: url } })
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${name}: expected`)])
      expect(stderr).not.toContain('a-password')
    }
  })

  it.each([
    [['sned'], '(wigwag --help lists the commands)'],
    [['account', 'delete'], '(wigwag account --help lists the commands)'],
    [['account', 'create', '--colour'], '(wigwag account create --help shows the options)'],
  ])('names the help that helps: %j', async (args, hint) => {
    const { stderr } = await wigwag(...args)
    expect(stderr).toContain(`\n${hint}\n`)
  })

  it('makes no database by looking for one', async () => {
    const { code, stderr } = await wigwag('account', 'list', '--database', 'file:./mistyped.db')
    expect(code).toBe(1)
    expect(stderr).toContain('there is no database at ./mistyped.db')
    expect(existsSync(join(folder, 'mistyped.db'))).toBe(false)
  })

  it('says so when a database is another kind of file', async () => {
    writeFileSync(join(folder, 'letter.txt'), 'Dear database, '.repeat(100))
    const { code, stderr } = await wigwag('account', 'list', '--database', 'file:./letter.txt')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'wigwag: ./letter.txt is no SQLite database: name another file, or restore a backup\n',
    })
  })

  it('says where no gateway answers', async () => {
    const env = { WIGWAG_CLIENT_ID: 'a', WIGWAG_CLIENT_SECRET: 'b', WIGWAG_WALLET_TOKEN: 'c' }
    const { code, stderr } = await runProgram(['balance', '--url', 'http://127.0.0.1:1'], {
      cwd: folder,
      env,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('no gateway answers at http://127.0.0.1:1')
  })
})
