import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterEach, expect, it, vi } from 'vitest'
import { print } from '../../src/cli/terminal.ts'
import { openDatabase } from '../../src/store/open.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const LOG = join(import.meta.dirname, '../../src/kernel/process/log.ts')

/**
 * Characters that move a cursor, colour, hide, reverse, or break a line on some terminal, in one byte or
 * more.
 */
const HOSTILE =
  'a\u001b[2Jb\u001b]0;title\u0007c\u007fd\u0085e\u009b31mf\u202eg\u2066h\u2069i\u2028j\u2029k\rl\nm\u200bn'
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const LINE_BREAKS = /\n/g

afterEach(() => void vi.restoreAllMocks())

const CREDENTIALS = {
  WIGWAG_CLIENT_ID: 'wc_1',
  WIGWAG_CLIENT_SECRET: 'ws_1',
  WIGWAG_WALLET_TOKEN: 'wt_1',
}
const command = (...args: string[]) => runProgram(args, { cwd: folder, env: CREDENTIALS })

function expectVisible(text: string): void {
  expect(text).toContain('a\\u{1b}[2Jb')
  expect(text.replace(LINE_BREAKS, '')).not.toMatch(INVISIBLE)
}

/** A gateway that answers every request with the same. */
async function gateway(status: number, body: unknown): Promise<string[]> {
  const type = status === 200 ? 'application/json' : 'application/problem+json'
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const { port } = server.address() as AddressInfo
  return ['--url', `http://127.0.0.1:${port}`]
}

const STATUS = {
  MessageId: 't',
  Status: 'success',
  Destination: '233241234567',
  Cost: 0,
  ClientReference: HOSTILE,
}

it('status shows what is hidden in the words of others, each on its line', async () => {
  const flags = await gateway(200, STATUS)
  const { code, stdout, stderr } = await command('status', 't', ...flags)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expectVisible(stdout)
  expect(stdout).toContain('k\\u{d}l\\u{a}m')
})

it('status as JSON has the exact words, and no character that a terminal obeys', async () => {
  const flags = await gateway(200, STATUS)
  const { stdout } = await command('status', 't', '--json', ...flags)
  expect(JSON.parse(stdout)).toMatchObject({ ClientReference: HOSTILE })
  expect(stdout.replace(LINE_BREAKS, '')).not.toMatch(INVISIBLE)
})

it.each([
  ['as text', []],
  ['as JSON', ['--json']],
])('an error that a gateway words shows what is hidden in it, %s', async (_, more) => {
  const problem = { type: 'about:blank', title: 'No', status: 409, code: 'conflict', detail: HOSTILE }
  const flags = await gateway(409, problem)
  const { code, stderr } = await command('status', 't', ...more, ...flags)
  expect(code).toBe(1)
  expect(stderr).toContain('a\\u')
  expect(stderr.replace(LINE_BREAKS, '')).not.toMatch(INVISIBLE)
})

it('audit shows what is hidden in what it stored', async () => {
  const database = ['--database', `file:${join(folder, 'audit.db')}`]
  expect(await command('migrate', ...database)).toMatchObject({ code: 0 })
  await write(database[1] ?? '')
  const { code, stdout } = await command('audit', ...database)
  expect(code).toBe(0)
  expectVisible(stdout)
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  const asJson = await command('audit', '--json', ...database)
  expect(JSON.parse(asJson.stdout)).toMatchObject([{ actor: HOSTILE, detail: { by: HOSTILE } }])
  expect(asJson.stdout.replace(LINE_BREAKS, '')).not.toMatch(INVISIBLE)
})

async function write(url: string): Promise<void> {
  const fail = (error: Error) => {
    throw error
  }
  const database = openDatabase({ url, postgresConnections: 1, onFatal: fail, onIdleError: fail })
  await database.write(({ run: statement }) =>
    statement('INSERT INTO audit (id, at, actor, action, detail) VALUES ($1, $2, $3, $4, $5)', [
      'a',
      Date.parse('2026-01-05T09:00:00Z'),
      HOSTILE,
      'wallet.credit',
      JSON.stringify({ by: HOSTILE }),
    ]),
  )
  await database.close()
}

it('colours the states of checks, and nothing that only looks like one', () => {
  const [green, plain] = ['\u001b[32mok  \u001b[39m', '\\u{1b}[32mok  \\u{1b}[39m']
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(`${text}`) > 0)
  print(`${green}  ${green}\n${green}  \u001b[2J`)
  expect(lines).toEqual([`${green}  ${plain}\n${green}  \\u{1b}[2J\n`])
})

it.each([true, false])('the log shows what is hidden, on a terminal: %s', async (terminal) => {
  const program = `
    const { openLog } = await import(${JSON.stringify(LOG)})
    process.stderr.isTTY = ${terminal}
    const log = await openLog('info', process.stderr)
    const words = JSON.parse(process.argv.at(-1))
    log.info({ words, nested: { words }, err: new Error(words) }, words)`
  const args = ['--input-type=module', '-e', program, JSON.stringify(HOSTILE)]
  const { stderr } = await promisify(execFile)(process.execPath, args)
  expect(stderr).toContain('[2J')
  // The colours are those of the log itself.
  expect(stripVTControlCharacters(stderr).replace(LINE_BREAKS, '')).not.toMatch(INVISIBLE)
  expect(stderr).not.toContain('\u001b[2J')
  if (!terminal) expect(JSON.parse(stderr)).toMatchObject({ msg: HOSTILE, words: HOSTILE })
})
