import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { micros } from '@wigwag/contract'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashPasswordHere } from '../../src/sign-in/portal/passwords/password-hash.ts'
import { shareFront } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'
import { createOfficialClient, UnauthorizedError } from './official-client.ts'

const PASSWORD = 'a long enough password'
const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello from an assistant' }

const front = await shareFront(':memory:')
const browser = await shareBrowser()

/** A person with an account, and a browser that runs no scripts. */
async function aPerson(name: string): Promise<{ page: Page; email: string }> {
  const email = `${name}@example.com`
  await front.gateway.operator.createAccount({
    name,
    email,
    passwordHash: hashPasswordHere(PASSWORD),
    currency: 'GHS',
    balance: micros(100_000_000),
    senders: ['WIGWAG'],
  })
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  })
  onTestFinished(() => context.close())
  return { page: await context.newPage(), email }
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>) => JSON.stringify(result.content)

describe('the whole way of an assistant, with the official client and a real browser', () => {
  it('discovers, registers, signs in, is allowed, calls, refreshes, and is over when the person says so', async () => {
    const { page, email } = await aPerson('ama')
    const official = await createOfficialClient(`${front.url}/mcp`)
    const client = await official.connect(async (url) => {
      await page.goto(url)
      await signIn(page, email)
      await page.getByText('Official client').first().waitFor()
      await page.getByLabel('Read and send').check()
      await page.getByLabel('Send without asking').check()
      await page.getByLabel('Daily spend').fill('0.10')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('You may close this window').waitFor()
    })

    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('send_sms')
    expect(textOf(await client.callTool({ name: 'get_balance', arguments: {} }))).toContain('100')
    const sent = await client.callTool({ name: 'send_sms', arguments: MESSAGE })
    expect(sent.isError, textOf(sent)).toBeFalsy()
    const more = { ...MESSAGE, content: 'x'.repeat(1_000) }
    const refused = await client.callTool({ name: 'send_sms', arguments: more })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('a day')

    const before = official.tokens
    if (before) official.tokens = { ...before, access_token: 'ended' }
    expect((await client.callTool({ name: 'get_balance', arguments: {} })).isError).toBeFalsy()
    expect(official.tokens?.refresh_token).not.toBe(before?.refresh_token)

    await page.goto(`${front.url}/connections`)
    await page.getByText('Official client').first().waitFor()
    await page.getByText('Revoke access').first().click()
    await page.getByRole('button', { name: 'Yes, revoke its access' }).click()
    await page.getByText('Ended in the last 30 days').waitFor()
    await expect(client.callTool({ name: 'get_balance', arguments: {} })).rejects.toThrow(UnauthorizedError)
  }, 60_000)
})
