import { whenNpmIsGone } from '@wigwag/contract'
import type { OnFault } from '../tools/index.ts'
import { type HttpServer, serveHttp, serveStdio } from '../transports/index.ts'
import { LOOPBACK_NAMES, log } from './command-line.ts'
import { ownIdentity } from './own-identity.ts'
import { serveSignIn } from './serve-with-sign-in.ts'
import type { Settings } from './settings.ts'

/** How long a stop waits for running calls. A send that is still running then stays counted. */
const STOP_MS = 5_000

/** Runs the connector until its client leaves or the process is told to stop. */
export async function serve(settings: Settings): Promise<void> {
  if (settings.kind === 'sign-in') {
    const server = await serveSignIn(settings, onFault)
    return untilStopped(server, `as ${settings.resource}, to everyone who signs in at ${settings.issuer}`)
  }
  const identity = await ownIdentity(settings)
  const { place } = settings
  if (place) {
    const identify = async () => identity
    const server = await serveHttp({ place, identify, allowedHosts: LOOPBACK_NAMES, onFault, log })
    return untilStopped(server, 'to everyone on this machine')
  }
  const served = serveStdio({ identity, input: process.stdin, output: process.stdout, onFault })
  const stopped = stopSignal().then(() => {
    process.stdin.destroy()
    return inTime(served)
  })
  await Promise.race([served, stopped])
}

/** Sets the signal handlers before it logs, so that a signal sent on reading the line is not lost. */
async function untilStopped(server: HttpServer, how: string): Promise<void> {
  const stopped = stopSignal()
  log(`serving ${server.url} ${how}`)
  await stopped
  await inTime(server.stop())
}

const onFault: OnFault = (error, tool) => {
  log(`${tool} failed: ${error instanceof Error ? error.stack : String(error)}`)
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    whenNpmIsGone(process, resolve)
  })
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, STOP_MS)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
