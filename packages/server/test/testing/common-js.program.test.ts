import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { complaints } from '../../../sdk/test/package/scratch.ts'

const run = promisify(execFile)

// Inside the repository, so that the built packages are found from there.
const folder = mkdtempSync(join(import.meta.dirname, '.common-js-'))
afterAll(() => rmSync(folder, { recursive: true }))

const script = `
const { createSandbox } = require('@wigwag/server/testing')
const { NotFoundError } = require('@wigwag/sdk')
;(async () => {
  const { client, clock, close } = await createSandbox()
  const { Ticket } = await client.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Hello' })
  await clock.advance(60_000)
  const { Status } = await client.getTransactionStatus(Ticket)
  const isUnknown = await client.getTransactionStatus('nothing').catch((error) => error instanceof NotFoundError)
  await close()
  console.log(Status, isUnknown)
})()
`

/** Makes Node look older: another version, without a newer function. */
const older = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
delete Map.groupBy
`
/** Says what the first use of the sandbox is refused with. */
const refused = `.createSandbox().catch((error) => console.log(error.message))`

const typed = `import { createSandbox, type Sandbox } from '@wigwag/server/testing'
export async function start(): Promise<Sandbox> {
  // @ts-expect-error: a balance is a number
  await createSandbox({ balance: '1' })
  const sandbox = await createSandbox({ onCallback: () => new Response() })
  sandbox.faults.set({ slow: '2 s', receivers: 'time out' })
  // @ts-expect-error: receivers don't answer that
  sandbox.faults.set({ receivers: '418' })
  await sandbox.clock.advance('2h')
  await sandbox.tell('01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', 'undelivered')
  // @ts-expect-error: there is no such field
  sandbox.credentials.password
  const before: string = await sandbox.now()
  const { code } = await sandbox.waitForMessage({ to: '233241234567', after: before, match: /\\d+/ })
  // @ts-expect-error: a text may have no code
  code.length
  // @ts-expect-error: a cursor is no time
  await sandbox.waitForMessage({ to: '233241234567', after: new Date() })
  return sandbox
}
`

const disposed = `import { createSandbox } from '@wigwag/server/testing'
export async function start(): Promise<number> {
  await using sandbox = await createSandbox()
  return (await sandbox.client.getBalance()).balance
}
`

describe('the sandbox', () => {
  it('can be required, also where ESM cannot be, and throws the errors of the SDK that the test requires', async () => {
    const file = join(folder, 'script.cjs')
    writeFileSync(file, script)
    // Jest requires like this before Node 24.9.
    const { stdout } = await run(process.execPath, ['--no-experimental-require-module', file])
    expect(stdout.trim()).toBe('success true')
  })

  it.each([
    ['older.cjs', `${older};require('@wigwag/server/testing')${refused}`],
    ['older.mjs', `${older};(await import('@wigwag/server/testing'))${refused}`],
  ])('says in one sentence which Node it needs, on one that is too old: %s', async (name, text) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    const { stdout } = await run(process.execPath, [file])
    expect(stdout).toBe(
      '@wigwag/server/testing needs Node 22.18 or newer; this is Node 20.20.2. Install a newer one from nodejs.org, and run the tests with it.\n',
    )
  })

  it.each([
    ['typed.cts', { module: 'node16', moduleResolution: 'node16' }],
    ['typed.mts', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ])('has types that need no package but the SDK: %s with %o', async (file, options) => {
    writeFileSync(join(folder, file), typed)
    expect(await complaints(folder, [file], options)).toBe('')
  })

  it('is taken by await using, where the compiler knows of it', async () => {
    writeFileSync(join(folder, 'disposed.mts'), disposed)
    const lib = ['es2022', 'dom', 'esnext.disposable']
    const options = { module: 'nodenext', moduleResolution: 'nodenext', lib }
    expect(await complaints(folder, ['disposed.mts'], options)).toBe('')
  })
})
