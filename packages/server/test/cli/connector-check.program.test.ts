import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../../mcp/package.json' with { type: 'json' }
import { eventually } from '../support/eventually.ts'
import { linesOf, runCheck } from './checked.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { startProcess } from './process.ts'
import { runProgram, startProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

/** Starts `wigwag connector check` as far as the sign-in. */
async function atSignIn(args: readonly string[], env: Record<string, string> = {}) {
  const running = startProgram(['connector', 'check', `${gateway.url}/mcp`, ...args], { cwd: folder, env })
  const address = await eventually(
    'the address to open',
    () => /^ {2}(http\S+)$/m.exec(running.stderr())?.[1],
  )
  return { ...running, address }
}

describe('wigwag connector check', () => {
  it('needs no sign-in at a connector of this machine', async () => {
    const account = await gateway.createAccount('unprotected@acme.example')
    const connector = startProcess(['--http', '--unprotected', '--port', '0'], {
      program: join(import.meta.dirname, '../../../mcp/dist/main.js'),
      cwd: folder,
      env: {
        ...gateway.environmentOf(account),
        WIGWAG_MCP_DAILY_SPEND: '5',
        WIGWAG_MCP_STATE: join(folder, 'unprotected'),
      },
    })
    const url = await eventually('the connector serves', () => {
      if (connector.child.exitCode !== null) throw new Error(connector.stderr())
      return /serving (\S+)/.exec(connector.stderr())?.[1]
    })
    const { code, stdout, stderr } = await runCheck(folder, url)
    expect(linesOf(stdout)).toEqual([
      'ok address answers 200 to a request without a token',
      'ok challenge no sign-in is asked for',
      ...['resource', 'server', 'registration', 'sign-in', 'token'].map(
        (name) => `skip ${name} not needed without sign-in`,
      ),
      'ok 2026-07-28 spoken',
      `ok 2025-11-25 spoken by wigwag ${packageJson.version}`,
      'ok tools all 10 are there',
      'ok sending this connection may send',
      'ok balance 100.00 GHS',
      'skip revocation not needed without sign-in',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: `An assistant can use ${url}. It may send.\n` })

    const json = await runCheck(folder, url, { args: ['--json'] })
    expect(JSON.parse(json.stdout)).toMatchObject({
      url,
      ok: true,
      revisions: ['2026-07-28', '2025-11-25'],
      maySend: true,
      balance: { balance: 100, currency: 'GHS' },
      findings: expect.arrayContaining([{ check: 'balance', state: 'ok', detail: '100.00 GHS' }]),
    })
    await connector.child.kill('SIGTERM')
  })

  it('prints one JSON object and exits with 1 when something is wrong', async () => {
    const url = `${gateway.url}/elsewhere`
    const { code, stdout, stderr } = await runCheck(folder, url, { args: ['--json'] })
    const { ok, findings } = JSON.parse(stdout)
    expect({ code, ok, first: findings[0] }).toEqual({
      code: 1,
      ok: false,
      first: {
        check: 'address',
        state: 'fail',
        detail: expect.stringMatching(
          /^POST \S+\/elsewhere: expected 401, .*; got 404 application\/problem\+json "There is nothing at /,
        ),
      },
    })
    expect(JSON.parse(stderr)).toEqual({ error: { message: `1 check failed for ${url}`, exitCode: 1 } })
  })

  it('stops waiting for the person after the time that it was given', async () => {
    const { ended, stdout } = await atSignIn(['--no-browser', '--timeout', '1'])
    expect(await ended).toBe(1)
    expect(stdout()).toContain(
      'within 1 s: the page was not opened, was closed, or is in a browser on another machine',
    )
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('says what was not tried when %s stops it', async (signal) => {
    const { child, ended, stdout } = await atSignIn(['--no-browser'])
    child.kill(signal)
    expect(await ended).toBe(1)
    expect(linesOf(stdout())).toEqual(
      expect.arrayContaining([
        'fail sign-in stopped',
        'skip balance not tried, because the check was stopped',
      ]),
    )
  })

  it('opens the browser at the address that it prints, unless it is told not to', async () => {
    const bin = join(folder, 'bin')
    const opened = join(folder, 'opened')
    mkdirSync(bin)
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nprintf %s "$*" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
      )
      chmodSync(join(bin, name), 0o700)
    }
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, DISPLAY: ':99' }
    const kept = await atSignIn(['--no-browser', '--timeout', '1'], env)
    await kept.ended
    expect(() => readFileSync(opened)).toThrow('ENOENT')
    const { address, child } = await atSignIn([], env)
    expect(await eventually('the browser was given the address', () => readText(opened))).toBe(address)
    child.kill('SIGTERM')
  })

  it.each([
    ['no address', [], "missing required argument 'address'"],
    ['an address that is none', ['sms.example.com/mcp'], 'Expected a URL such as'],
    ['a token in the command line', ['http://127.0.0.1:9/mcp', '--token', 'x'], "unknown option '--token'"],
    ['a time that is none', ['http://127.0.0.1:9/mcp', '--timeout', '0'], 'Expected a number of seconds'],
  ])('exits with 2 for %s', async (_, args, expected) => {
    const { code, stdout, stderr } = await runProgram(['connector', 'check', ...args], { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
  })
})

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
