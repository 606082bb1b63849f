import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { launchBrowser } from './chromium.ts'

/** A real browser for all tests of a file, which is to ask for it before the first of them. */
export async function shareBrowser(): Promise<Browser> {
  const browser = await launchBrowser()
  afterAll(() => browser.close())
  return browser
}
