/** What commands that act as an assistant take from the machine on which they run. */

import { spawn } from 'node:child_process'
import { commandProcess } from './command-process.ts'

/** A token from an earlier sign-in. */
export function connectorToken(): string | undefined {
  return commandProcess().env.WIGWAG_CONNECTOR_TOKEN || undefined
}

export function showInBrowser(url: string): void {
  openBrowser(url, { platform: process.platform, env: commandProcess().env })
}

export interface Desktop {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
}

/** Opens the browser of the person, if there seems to be one. Failures are ignored: the address was printed as well. */
function openBrowser(url: string, desktop: Desktop): void {
  const [program, ...args] = openerOf(desktop)
  if (program === undefined) return
  const child = spawn(program, [...args, url], { env: desktop.env, stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** The program that opens an address, and what precedes the address. No shell is involved: the address is a stranger's. */
function openerOf({ platform, env }: Desktop): readonly string[] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  // Without a desktop, xdg-open would start a browser of text in this terminal.
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}
