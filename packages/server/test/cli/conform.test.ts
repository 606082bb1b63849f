import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MCP_TOKEN } from '../../../conform/test/plain-mcp.ts'
import {
  credentials,
  openPlainServer,
  type PlainServer,
  type Rules,
  TO,
} from '../../../conform/test/plain-server.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { jumpingClock } from './jumping-clock.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const postman = join(import.meta.dirname, '../../../../examples/postman/wigwag.postman_collection.json')
const env = {
  WIGWAG_CLIENT_ID: credentials.clientId,
  WIGWAG_CLIENT_SECRET: credentials.clientSecret,
  WIGWAG_WALLET_TOKEN: credentials.walletToken,
}

let plain: PlainServer | undefined
afterEach(() => plain?.close())

/** Runs `wigwag conform` on the plain server with a fault. */
async function conformPlain(fault: Partial<Rules>, ...more: string[]) {
  plain = await openPlainServer(fault)
  const args = ['conform', plain.url, ...TO.flatMap((number) => ['--to', number]), ...more]
  const environment = { ...env, WIGWAG_CONNECTOR_TOKEN: MCP_TOKEN }
  return runProgram(args, { cwd: folder, env: environment, clock: jumpingClock() })
}

const balanceBy = (answer: (response: ServerResponse) => void): Partial<Rules> => ({
  instead(url, response) {
    if (url !== '/v1/account/balance') return false
    answer(response)
    return true
  },
})

describe('wigwag conform', () => {
  let gateway: MovedGateway
  beforeAll(async () => {
    gateway = await startMovedGateway(folder)
  })

  it('passes a gateway in another process, prints JSON and writes JUnit', async () => {
    const account = await gateway.createAccount('conform@acme.example')
    const args = ['conform', '--to', TO[0] ?? '', '--from', 'ACME', '--postman', postman, '--json']
    const { code, stdout, stderr } = await gateway.during(
      runProgram([...args, '--junit', 'conform.xml'], {
        cwd: folder,
        env: { ...gateway.environmentOf(account), WIGWAG_CALLBACK_SECRET: account.callbackSecret },
        clock: gateway.clock,
      }),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '7 messages accepted.\n' })
    const { ok, url, messages, checks } = JSON.parse(stdout)
    expect({ ok, url, messages }).toEqual({ ok: true, url: gateway.url, messages: 7 })
    const rest = checks.filter(({ state }: { state: string }) => state !== 'passed')
    expect(rest.map(({ id, state }: { id: string; state: string }) => `${state}: ${id}`)).toEqual([
      'not tried: mcp.read-tools',
      'not tried: mcp.write-tools',
      'not tried: mcp.balance',
      'not tried: rate-limit.headers',
      'not tried: mcp.no-other-tools',
      'not tried: mcp.read-or-write',
    ])
    const xml = readFileSync(join(folder, 'conform.xml'), 'utf8')
    expect(xml).toContain(`<testsuites tests="${checks.length}" failures="0" errors="0" skipped="6">`)
    for (const secret of [account.clientSecret, account.walletToken, account.callbackSecret])
      expect(stdout + xml).not.toContain(secret)
  })

  it('prints a table, exits with 1 when a must fails, and with 0 when only a may does', async () => {
    const wrong = await conformPlain(
      { balance: (found) => ({ ...found, balance: '10' }) },
      '--junit',
      'wrong.xml',
    )
    expect(wrong.stderr).toBe(
      `8 messages accepted.\nwigwag: ${plain?.url} does not meet the specification: 1 check failed\n`,
    )
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toMatch(
      /^failed {5}must {2}balance\.types +balance is a number, the others are strings \(§ 2\.5\)\n +balance is "10", which is no number$/m,
    )
    expect(wrong.stdout).toMatch(/^77 must: 73 passed, 1 failed, 3 not tried$/m)
    const xml = readFileSync(join(folder, 'wrong.xml'), 'utf8')
    expect(xml).toContain('<failure message="balance is &quot;10&quot;, which is no number"/>')
    expect(xml).toContain('<skipped message="failed, which is allowed: ')
    plain?.close()
    expect((await conformPlain({})).code).toBe(0)
  })

  it.each<[string, Partial<Rules>, string[], string]>([
    [
      'HTML',
      balanceBy((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>')),
      [],
      'answered 200 text/html "Hi"; expected JSON',
    ],
    [
      'a redirect',
      balanceBy((response) => response.writeHead(301, { location: '/elsewhere' }).end()),
      [],
      'answered 301, a redirect to /elsewhere; give the address',
    ],
    ['nothing', balanceBy(() => {}), ['--timeout', '0.5'], 'no answer: none within 0.5 s'],
    [
      'a refusal that repeats the secret',
      balanceBy((response) => response.writeHead(401).end(`no ${credentials.clientSecret}`)),
      [],
      'answered 401 "no …"; expected it to take',
    ],
  ])('says so in one sentence when the server answers with %s', async (_, fault, more, expected) => {
    const { code, stdout, stderr } = await conformPlain(fault, ...more)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^wigwag: GET http\S+\/v1\/account\/balance:? .*\n$/)
    expect(stderr).toContain(expected)
  })

  it('says so in one sentence when nothing listens', async () => {
    plain = await openPlainServer()
    plain.close()
    const { code, stderr } = await runProgram(['conform', plain.url, '--to', TO[0] ?? ''], {
      cwd: folder,
      env,
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `wigwag: GET ${plain.url}/v1/account/balance: no answer: the connection was refused, so nothing listens there\n`,
    })
  })

  it.each<[string, string[], string]>([
    ['no recipient', ['conform'], "required option '--to <number>'"],
    ['a recipient that is none', ['conform', '--to', '0241'], 'Expected a number in digits'],
    ['an address that is none', ['conform', 'gateway', '--to', '233241234567'], 'Expected a URL such as'],
    ['an amount that is none', ['conform', '--to', '233241234567', '--spend', 'x'], 'Expected an amount'],
    ['no credentials', ['conform', '--to', '233241234567'], 'there is no WIGWAG_CLIENT_ID'],
  ])('exits with 2 for %s', async (_, args, expected) => {
    const { code, stdout, stderr } = await runProgram(args, { cwd: folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
  })
})
