import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import packageJson from '../../../mcp/package.json' with { type: 'json' }
import { linesOf, runCheck } from '../cli/checked.ts'
import { type RunningGateway, startGateway } from '../cli/gateway.ts'
import { startProcess } from '../cli/process.ts'
import { temporaryFolder } from '../cli/program.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { shareBrowser } from './chromium.ts'

const PASSWORD = 'a long enough password'
const EMAIL = 'ama@example.com'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
  const start = ['account', 'create', '--name', 'Ama', '--email', EMAIL, '--balance', '100']
  await gateway.operate([...start, '--password-stdin'], { input: PASSWORD })
}, 60_000)

/** Signs in at an address in a new window and answers with a button. */
async function answer(address: string, decide: (page: Page) => Promise<void>): Promise<Page> {
  const context = await (await shareBrowser()).newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(address)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('wigwag connector check').first().waitFor()
  await decide(page)
  await page.getByText('The check has its answer').waitFor()
  return page
}

async function allowSending(page: Page): Promise<void> {
  await page.getByLabel('Read and send').check()
  await page.getByRole('button', { name: 'Allow' }).click()
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).click()

const AFTER_SIGN_IN = [
  '2026-07-28 spoken',
  `2025-11-25 spoken by wigwag ${packageJson.version}`,
  'tools all 10 are there',
  'sending this connection may send',
  'balance 100.00 GHS',
  'revocation the connection that was made for this check is ended',
]

describe('wigwag connector check, with a browser', () => {
  it('signs in at a gateway, reads, and leaves no connection', async () => {
    const url = `${gateway.url}/mcp`
    let page: Page | undefined
    const { code, stdout, stderr } = await runCheck(folder, url, {
      person: async (address) => {
        page = await answer(address, allowSending)
      },
    })
    expect(linesOf(stdout)).toEqual(
      [
        'address answers 401 to a request without a token',
        `challenge names ${gateway.url}/.well-known/oauth-protected-resource/mcp`,
        `resource is for this address; sign-in is at ${gateway.url}`,
        'server has all that an assistant needs',
        expect.stringMatching(/^ok registration registered as \S+$/),
        `sign-in the person agreed; the answer is from ${gateway.url}`,
        expect.stringMatching(/^ok token valid for \d+ min, for sms:read sms:send$/),
        ...AFTER_SIGN_IN,
      ].map((line) => (typeof line === 'string' ? `ok ${line}` : line)),
    )
    expect(stderr).toMatch(/An assistant can use \S+\/mcp\. It may send\.\n$/)
    expect(code).toBe(0)
    await page?.goto(`${gateway.url}/connections`)
    await page?.getByText('Ended in the last 30 days').waitFor()
    expect(await page?.getByText('Revoke access').count()).toBe(0)
  }, 60_000)

  it('says that the person did not allow it', async () => {
    const { code, stdout, stderr } = await runCheck(folder, `${gateway.url}/mcp`, {
      person: (address) => answer(address, click('Deny')),
    })
    expect(linesOf(stdout)).toContain('fail sign-in the person did not allow it')
    expect(stderr).toContain(`wigwag: 1 check failed for ${gateway.url}/mcp\n`)
    expect(code).toBe(1)
  }, 60_000)

  it('signs in for a standalone connector', async () => {
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}/mcp`
    const made = await gateway.operate(['connector', 'add', url, '--json'])
    const { connectorId, connectorSecret } = JSON.parse(made.stdout)
    const connector = startProcess(['--http', '--public-url', url, '--port', port], {
      program: join(import.meta.dirname, '../../../mcp/dist/main.js'),
      cwd: folder,
      env: {
        WIGWAG_BASE_URL: gateway.url,
        WIGWAG_CONNECTOR_ID: connectorId,
        WIGWAG_CONNECTOR_SECRET: connectorSecret,
        WIGWAG_MCP_STATE: join(folder, 'standalone'),
      },
    })
    await eventually('the connector serves', () => {
      if (connector.child.exitCode !== null) throw new Error(connector.stderr())
      return /serving (\S+)/.exec(connector.stderr())?.[1]
    })
    const { code, stdout } = await runCheck(folder, url, {
      person: (address) => answer(address, allowSending),
    })
    expect(linesOf(stdout).slice(-AFTER_SIGN_IN.length)).toEqual(AFTER_SIGN_IN.map((line) => `ok ${line}`))
    expect(code).toBe(0)
  }, 60_000)
})
