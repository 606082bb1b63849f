import { execFileSync } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { headerOf, startSmtp } from '../mail/smtp.ts'
import { runProgram, temporaryFolder } from './program.ts'

const FROM = { WIGWAG_MAIL_FROM: 'Wigwag <wigwag@example.com>' }

describe('wigwag mail test', () => {
  const folder = temporaryFolder()
  const test = (env: Record<string, string>, to = 'ops@example.com', ...more: string[]) =>
    runProgram(['mail', 'test', to, ...more], { cwd: folder, env: { ...FROM, ...env } })

  it('sends one mail and says what the server answered', async () => {
    const { arrived, url, port } = await startSmtp()
    const { code, stdout } = await test({ WIGWAG_MAIL: url })
    expect([code, stdout]).toEqual([0, `127.0.0.1:${port} took it: 250 taken\n`])
    expect(arrived).toHaveLength(1)
    expect(arrived[0]?.to).toEqual(['ops@example.com'])
    expect(arrived[0] && headerOf(arrived[0], 'Subject')).toBe('A test of the mail server')
  })

  it('takes the address of the server from a file, and answers as JSON', async () => {
    const { arrived, url, port } = await startSmtp()
    writeFileSync(join(folder, 'mail.txt'), `${url}\n`)
    const { code, stdout } = await test({ WIGWAG_MAIL: 'file:./mail.txt' }, 'ops@example.com', '--json')
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { to: 'ops@example.com', server: `127.0.0.1:${port}`, answer: '250 taken' },
    ])
    expect(arrived).toHaveLength(1)
  })

  it('says why the server did not take it, without the password', async () => {
    const { url, port, state } = await startSmtp()
    state.doing = 'refuse'
    const refused = await test({ WIGWAG_MAIL: url })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`127.0.0.1:${port} did not take it: Message failed: 550 not today`)
    const wrong = await test({ WIGWAG_MAIL: `smtp://wigwag:hunter2@127.0.0.1:${port}` })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toMatch(/did not take it: Invalid login: 535/)
    expect(wrong.stderr).not.toContain('hunter2')
  })

  it.each([
    [{}, 'expected WIGWAG_MAIL beside it'],
    [{ WIGWAG_MAIL: 'mail.example.com' }, 'WIGWAG_MAIL: expected an address such as smtps://'],
    [{ WIGWAG_MAIL: 'https://mail.example.com' }, 'got "https://mail.example.com"'],
    [{ WIGWAG_MAIL: 'smtps://u:hunter2@mail.example.com/path' }, 'WIGWAG_MAIL: expected an address'],
    [{ WIGWAG_MAIL: 'file:./missing.txt' }, 'missing.txt'],
    [{ WIGWAG_MAIL: 'smtps://u:p%@mail.example.com' }, 'each % written as %25'],
    [{ WIGWAG_MAIL: 'smtps://mail.example.com', WIGWAG_MAIL_FROM: 'Wigwag' }, 'WIGWAG_MAIL_FROM: expected'],
    [
      { WIGWAG_MAIL: 'smtps://mail.example.com', WIGWAG_ALERT_MAIL: 'ops@example.com nobody' },
      'got "nobody"',
    ],
    [{ WIGWAG_ALERT_MAIL: 'ops@example.com' }, 'expected WIGWAG_MAIL beside it'],
  ])('refuses %o with a sentence, and no password in it', async (env, said) => {
    const { code, stderr } = await test(env)
    expect(code).toBe(2)
    expect(stderr).toContain(said)
    expect(stderr).not.toContain('hunter2')
  })

  it('waits for no pipe, and reads no folder and no large file as the address of the server', async () => {
    mkdirSync(join(folder, 'a-folder'))
    execFileSync('mkfifo', [join(folder, 'a-pipe')])
    writeFileSync(join(folder, 'large'), '')
    truncateSync(join(folder, 'large'), 2 ** 30)
    for (const name of ['a-folder', 'large', 'a-pipe']) {
      const { code, stderr } = await test({ WIGWAG_MAIL: `file:./${name}` })
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} (`)])
    }
  })

  it('refuses an address that is none', async () => {
    const { code, stderr } = await test({ WIGWAG_MAIL: 'smtps://mail.example.com' }, 'a@b\r\nBcc: c@d')
    expect(code).toBe(2)
    expect(stderr).toContain('Expected an e-mail address')
  })
})
