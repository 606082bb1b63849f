/** What commands that act as an assistant take from the machine on which they run. */
import { commandProcess } from '../command-process.ts'
import { openBrowser } from './open-browser.ts'

/** A token from an earlier sign-in. */
export function connectorToken(): string | undefined {
  return commandProcess().env.WIGWAG_CONNECTOR_TOKEN || undefined
}

export function showInBrowser(url: string): void {
  openBrowser(url, { platform: process.platform, env: commandProcess().env })
}
