/** The fake client and the sandbox in the test runners that people have, without a setting. */
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../packages/sdk/test/package/scratch.ts'
import { type Idea, type Row, row } from './idea.ts'
import { installed, root, versionOf } from './install.ts'

const fake = `
test('the fake client', async () => {
  const sms = createFakeClient()
  const { Ticket } = await sms.sendSms({ From: 'ACME', To: '233241234567', Content: 'Hello' })
  const callback = await signedCallback(sms.deliver(Ticket), 'whsec_c2VjcmV0')
  expect((await sms.waitForFinal(Ticket)).Status).toBe('success')
  expect((await callbackHandler('whsec_c2VjcmV0', () => {})(callback.request())).status).toBe(204)
  sms.fail('sendSms', { status: 402, code: 'insufficient_funds' })
  const refused = sms.sendSms({ From: 'ACME', To: '233241234567', Content: 'Hello' })
  await expect(refused).rejects.toBeInstanceOf(InsufficientFundsError)
})
`
const sandbox = `
test('the sandbox', async () => {
  const { client, clock, close } = await createSandbox()
  const { Ticket } = await client.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello' })
  await clock.advance(60_000)
  expect((await client.getTransactionStatus(Ticket)).Status).toBe('success')
  await close()
})
`
const names = {
  '@wigwag/sdk': 'callbackHandler, InsufficientFundsError',
  '@wigwag/sdk/testing': 'createFakeClient, signedCallback',
}
const required = (from: string, what: string) => `const { ${what} } = require('${from}')\n`
const imported = (from: string, what: string) => `import { ${what} } from '${from}'\n`
const written = (load: typeof required) =>
  Object.entries(names)
    .map(([from, what]) => load(from, what))
    .join('')

export const testRunners: Idea = {
  files: {
    'fake.test.js': written(required) + fake,
    'sandbox.test.js': required('@wigwag/server/testing', 'createSandbox') + sandbox,
    'fake.spec.mjs': imported('vitest', 'expect, test') + written(imported) + fake,
    'sandbox.spec.mjs':
      imported('vitest', 'expect, test') + imported('@wigwag/server/testing', 'createSandbox') + sandbox,
  },
  async run(folder) {
    const modules = join(folder, 'node_modules')
    await mkdir(modules, { recursive: true })
    // The server has 170 dependencies; it is the one of this checkout, as it was built.
    await symlink(join(root, 'packages', 'server'), join(modules, '@wigwag', 'server'), 'junction')
    await symlink(join(root, 'node_modules', 'vitest'), join(modules, 'vitest'), 'junction')
    const jest = installed('jest', 'bin', 'jest.js')
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const node22 = installed('node22', 'bin', 'node')
    const runs = [
      ['Jest', versionOf('jest'), process.execPath, jest, 'fake.test.js', 'the fake client'],
      ['Jest', `${versionOf('jest')} on Node 22`, node22, jest, 'fake.test.js', 'the fake client'],
      ['Jest', versionOf('jest'), process.execPath, jest, 'sandbox.test.js', 'the sandbox'],
      ['Jest', `${versionOf('jest')} on Node 22`, node22, jest, 'sandbox.test.js', 'the sandbox'],
      [
        'Vitest',
        versionOf('vitest', join(root, 'node_modules')),
        process.execPath,
        vitest,
        'fake.spec.mjs',
        'the fake client',
      ],
      [
        'Vitest',
        versionOf('vitest', join(root, 'node_modules')),
        process.execPath,
        vitest,
        'sandbox.spec.mjs',
        'the sandbox',
      ],
    ] as const
    const rows: Row[] = []
    for (const [what, version, node, runner, file, subject] of runs) {
      const args = what === 'Vitest' ? ['run', '--root', folder] : ['--rootDir', folder]
      const env = { ...process.env, NODE_OPTIONS: '' }
      rows.push(
        await row({ what, version, does: `runs ${subject}` }, () =>
          run(node, [runner, ...args, file], { cwd: folder, env, timeout: 60_000 }),
        ),
      )
    }
    return rows
  },
}
