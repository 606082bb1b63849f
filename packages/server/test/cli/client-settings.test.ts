import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jumpingClock } from './jumping-clock.ts'
import { runProgram, temporaryFolder } from './program.ts'

const ALL = {
  WIGWAG_CLIENT_ID: 'acme',
  WIGWAG_CLIENT_SECRET: 'a-client-secret',
  WIGWAG_WALLET_TOKEN: 'a-wallet-token',
}
const folder = temporaryFolder()
const recipients = join(folder, 'recipients.csv')

/** A stranger's server, and what it was sent. */
const taken: string[] = []
/** The senders of the messages among it. */
const senders: unknown[] = []
const hostile = createServer(async (request, response) => {
  taken.push(JSON.stringify(request.headers))
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (body) senders.push(JSON.parse(body).From)
  const answer = { balance: 1, currency: 'GHS', Ticket: 't', Status: 'pending' }
  const json = JSON.stringify(body.includes('Recipients') ? [answer] : answer)
  response.writeHead(200, { 'content-type': 'application/json' }).end(json)
})
let url = ''
beforeAll(async () => {
  writeFileSync(recipients, 'To\n233241234567\n')
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  const address = hostile.address()
  if (typeof address === 'object' && address) url = `http://127.0.0.1:${address.port}`
})
afterAll(() => {
  hostile.close()
  hostile.closeAllConnections()
})

let homes = 0
/** A folder with a `.env` of these lines. */
function homeWith(env: Record<string, string>): string {
  homes++
  const home = join(folder, String(homes))
  mkdirSync(home)
  writeFileSync(
    join(home, '.env'),
    Object.entries(env)
      .map((pair) => pair.join('='))
      .join('\n'),
  )
  return home
}

/** No gateway listens there. */
const NOWHERE = 'http://127.0.0.1:9'
const COMMANDS = [
  ['balance'],
  ['status', '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'],
  ['send', '--from', 'ACME', '--to', '233241234567', '--content', 'Hello'],
  ['bulk', recipients, '--from', 'ACME', '--content', 'Hello'],
]

describe('a message without --from', () => {
  const send = ['send', '--to', '233241234567', '--content', 'Hello']

  it.each([send, ['bulk', recipients, '--content', 'Hello', '--yes']])(
    'is from WIGWAG_FROM with wigwag %s',
    async (...command) => {
      senders.length = 0
      const named = homeWith({ ...ALL, WIGWAG_BASE_URL: url, WIGWAG_FROM: 'FILE' })
      await runProgram(command, { cwd: named })
      await runProgram(command, { cwd: named, env: { WIGWAG_FROM: 'SHOP' } })
      await runProgram([...command, '--from', 'FLAG'], { cwd: named, env: { WIGWAG_FROM: 'SHOP' } })
      expect(senders).toEqual(['FILE', 'SHOP', 'FLAG'])
    },
  )

  it('is a wrong use where there is no sender, and nothing is sent', async () => {
    taken.length = 0
    const nameless = await runProgram(send, { cwd: homeWith({ ...ALL, WIGWAG_BASE_URL: url }) })
    expect(nameless).toMatchObject({ code: 2, stdout: '' })
    expect(nameless.stderr).toContain('--from: expected a sender ID, there or in WIGWAG_FROM, got none')
    expect(taken).toEqual([])
  })
})

describe('a .env that names another address', () => {
  it.each(COMMANDS)('is given no credentials of the environment by wigwag %s', async (...command) => {
    taken.length = 0
    const home = homeWith({ WIGWAG_BASE_URL: url })
    const here = { cwd: home, clock: jumpingClock() }
    const whole = await runProgram(command, { ...here, env: { ...ALL, WIGWAG_BASE_URL: NOWHERE } })
    const withoutAddress = await runProgram(command, { ...here, env: ALL })
    const { WIGWAG_WALLET_TOKEN, ...two } = ALL
    const part = await runProgram(command, { ...here, env: two })
    expect(taken).toEqual([])
    expect(whole.code).toBe(1)
    expect(withoutAddress.stderr).not.toContain(url)
    expect(part).toMatchObject({ code: 2, stdout: '' })
    expect(part.stderr).toContain('no WIGWAG_WALLET_TOKEN; .env is not read')
  })

  it('is said to be missing with what to paste', async () => {
    const { code, stderr } = await runProgram(['balance'], { cwd: homeWith({}) })
    expect(code).toBe(2)
    expect(stderr).toContain('paste the export lines that npm start printed')
  })

  it('says which settings made it look no further', async () => {
    const home = homeWith(ALL)
    const flag = await runProgram(['balance', '--url', url], { cwd: home })
    expect(flag).toMatchObject({ code: 2, stdout: '' })
    expect(flag.stderr).toContain('because WIGWAG_BASE_URL came from the environment or a flag')
    const secret = { WIGWAG_CALLBACK_SECRET: 'whsec_YQ==' }
    expect((await runProgram(['balance'], { cwd: home, env: secret })).stderr).toContain(
      'no WIGWAG_CLIENT_ID, no WIGWAG_CLIENT_SECRET, no WIGWAG_WALLET_TOKEN; .env is not read',
    )
  })

  it('is used when nothing of it is in the environment, and says what it lacks', async () => {
    taken.length = 0
    const complete = await runProgram(['balance'], { cwd: homeWith({ ...ALL, WIGWAG_BASE_URL: url }) })
    expect(complete).toMatchObject({ code: 0, stdout: 'GHS 1.00\n' })
    expect(taken).toHaveLength(1)
    const { WIGWAG_CLIENT_SECRET, ...part } = ALL
    const lacking = await runProgram(['balance'], { cwd: homeWith(part) })
    expect(lacking).toMatchObject({ code: 2, stdout: '' })
    expect(lacking.stderr).toContain('there is no WIGWAG_CLIENT_SECRET in .env')
  })
})
