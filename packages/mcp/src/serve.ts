import { log } from './log.ts'
import { ownIdentity } from './own-identity.ts'
import type { OnFault } from './protocol.ts'
import { type HttpServer, LOOPBACK_NAMES, serveHttp } from './serve-http.ts'
import { serveSignIn } from './serve-sign-in.ts'
import type { Settings } from './settings.ts'
import { serveStdio } from './stdio.ts'

/** How long a stop waits for calls under way. What is still open then is counted as if it was sent. */
const STOP_MS = 5_000

/** Runs the connector until its client goes away or the process is told to stop. */
export async function serve(settings: Settings): Promise<void> {
  if (settings.kind === 'sign-in') {
    const server = await serveSignIn(settings, onFault)
    return untilStopped(server, `as ${settings.resource}, to whoever signs in at ${settings.issuer}`)
  }
  const identity = await ownIdentity(settings)
  const { place } = settings
  if (place) {
    const identify = async () => identity
    const server = await serveHttp({ place, identify, allowedHosts: LOOPBACK_NAMES, onFault })
    return untilStopped(server, 'to everybody on this machine')
  }
  const served = serveStdio({ identity, input: process.stdin, output: process.stdout, onFault })
  const stopped = stopSignal().then(() => {
    process.stdin.destroy()
    return inTime(served)
  })
  await Promise.race([served, stopped])
}

/** Says that it is there once it can be told to stop. */
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
  })
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, STOP_MS)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
