import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import type { PictureSandbox } from './sandbox.ts'
import type { Scene } from './scenes.ts'

const HEIGHTS = { small: 760, large: 900 }
const A_PHONE = 500
/** Long enough for a stream to open and for the estimate of a price to arrive. */
const SETTLED_MS = 500

/** The storage of a signed-in browser. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** Signs in once for all pictures: a gateway allows an address only so many sign-ins an hour. */
export async function signIn(browser: Browser, { url, email, password }: PictureSandbox): Promise<Session> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${url}/sign-in`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return await context.storageState()
  } finally {
    await context.close()
  }
}

/** Opens the desk, as one press does in a sandbox. */
export async function openDesk(browser: Browser, { deskUrl }: PictureSandbox): Promise<Session> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(deskUrl)
    await page.getByRole('button', { name: 'Open the desk' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor({ state: 'attached' })
    return await context.storageState()
  } finally {
    await context.close()
  }
}

export interface Shot {
  browser: Browser
  session: Session
  url: string
  scene: Scene
  tickets: Record<string, string>
  theme: 'light' | 'dark'
  width: number
  into: string
}

/** Takes one picture, as the person who opens the page sees it first. */
export async function takePicture({
  browser,
  session,
  url,
  scene,
  tickets,
  theme,
  width,
  into,
}: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: width < A_PHONE ? HEIGHTS.small : HEIGHTS.large },
    deviceScaleFactor: width < A_PHONE ? 2 : 1,
    colorScheme: theme,
    ...(scene.signedOut ? {} : { storageState: session }),
  })
  try {
    const page = await context.newPage()
    await page.goto(url + scene.path.replace(/\{(\w+)\}/g, (_, name) => tickets[name] ?? ''))
    for (const [label, text] of Object.entries(scene.fill ?? {}))
      await page.getByLabel(label, { exact: true }).fill(text)
    for (const name of scene.press ?? []) await page.getByRole('button', { name }).click()
    await page.waitForTimeout(SETTLED_MS)
    await page.screenshot({ path: join(into, `${scene.name}-${width}-${theme}.png`) })
  } finally {
    await context.close()
  }
}
