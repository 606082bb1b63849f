import { existsSync } from 'node:fs'
import bundled from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let shared: Promise<Browser> | undefined

/** A real browser, one for all files that a worker runs. It ends with the worker; a test closes the contexts it opens. */
export function shareBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  return shared
}

/** The machine's own, else the one that comes with the development dependencies. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path)) ?? (await bundled.executablePath())
  return chromium.launch({ executablePath, args: QUIET, headless: true })
}
