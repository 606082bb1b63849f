import { expect, it } from 'vitest'
import { runProgram, temporaryFolder } from './program.ts'

const cwd = temporaryFolder()
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runProgram([...args, '--database', 'file:./desk.db'], { cwd, env })

it('operators are added with a link, listed and ended, and each of it is audited', async () => {
  expect((await run(['migrate'])).code).toBe(0)
  const none = await run(['operator', 'list'])
  expect(none.stderr).toContain('There are no operators')

  const added = await run(['operator', 'add', 'ada', '--role', 'act', '--by', 'grace'])
  expect(added.stdout).toMatch(/^http:\/\/localhost:8081\/enter#wl_[\w-]{43}\n$/)
  expect(added.stderr).toContain('once, within an hour')
  const elsewhere = await run(['operator', 'add', 'bob', '--role', 'look', '--json'], {
    WIGWAG_OPERATOR_URL: 'https://desk.example.com',
  })
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({
    name: 'bob',
    role: 'look',
    passkeys: 0,
    codeGenerator: false,
    recoveryCodes: 0,
    endedAt: null,
    link: expect.stringMatching(/^https:\/\/desk\.example\.com\/enter#wl_/),
  })

  const taken = await run(['operator', 'add', 'ada', '--role', 'look'])
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('there is an operator ada already')])
  const noRole = await run(['operator', 'add', 'eve'])
  expect([noRole.code, noRole.stderr]).toEqual([2, expect.stringContaining('--role')])

  const ended = await run(['operator', 'end', 'ada', '--by', 'grace'])
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('ada has ended')])
  const unknown = await run(['operator', 'end', 'ada'])
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no operator ada')])
  const { stdout } = await run(['operator', 'list', '--json'])
  const listed: { name: string; endedAt: string | null }[] = JSON.parse(stdout)
  expect(listed.map(({ name, endedAt }) => [name, endedAt !== null])).toEqual([
    ['bob', false],
    ['ada', true],
  ])
  const audit = await run(['audit', '--action', 'operator', '--json'])
  const entries: { action: string; actor: string; detail: { name: string } }[] = JSON.parse(audit.stdout)
  expect(
    entries.map(({ action, actor, detail }) => [action, detail.name, actor === 'operator:grace']),
  ).toEqual([
    ['operator.end', 'ada', true],
    ['operator.add', 'bob', false],
    ['operator.add', 'ada', true],
  ])
})

it('a link is not made where nobody can follow it', async () => {
  const env = { WIGWAG_ENV: 'production', WIGWAG_SECRET: 'x'.repeat(32), WIGWAG_CARRIER: 'simulator' }
  const refused = await run(['operator', 'add', 'zoe', '--role', 'act'], env)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('set WIGWAG_OPERATOR_PORT')])
  const { stdout } = await run(['operator', 'list', '--json'])
  expect(stdout).not.toContain('zoe')
})
