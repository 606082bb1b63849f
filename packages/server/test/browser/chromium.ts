import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
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

/** Ends a wait that hangs, and judges no speed. */
const PATIENCE_MS = 300_000

let shared: Promise<Browser> | undefined

/** A real browser, one for all files that a worker runs. It ends with the worker; a test closes the contexts it opens. */
export function shareBrowser(): Promise<Browser> {
  shared ??= launchBrowser().then(patient)
  return shared
}

function patient(browser: Browser): Browser {
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}

/** The machine's own, else the one that comes with the development dependencies. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findBrowser(), args: QUIET, headless: true })
}

export async function findBrowser(): Promise<string> {
  return INSTALLED.find((path) => existsSync(path)) ?? (await unpacked())
}

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache')
const UNPACKED = join(CACHE, 'chromium')

/**
 * Unpacks the browser once a clone. Each of several processes that find none makes its own copy, of which the first to be
 * complete stays: one that is still being written can't be started.
 */
async function unpacked(): Promise<string> {
  if (!existsSync(UNPACKED)) {
    await mkdir(CACHE, { recursive: true })
    const own = await mkdtemp(`${UNPACKED}-`)
    await unpackTo(own)
    await rename(own, UNPACKED).catch(() => rm(own, { recursive: true }))
  }
  return join(UNPACKED, 'chromium')
}

/** The package unpacks to the folder that is the system's for temporary files when it is called. */
async function unpackTo(folder: string): Promise<void> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  const done = bundled.executablePath()
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await done
}
