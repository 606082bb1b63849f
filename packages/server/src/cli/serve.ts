import { Command } from 'commander'
import { compose, type Gateway } from '../compose.ts'
import { type Listener, listen } from '../http/listen.ts'
import { banner } from './banner.ts'
import { surroundings, withDatabase } from './settings.ts'
import { stopSignal } from './stop-signal.ts'
import { Failed, say } from './terminal.ts'

const DRAIN_MS = 3_000

export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Run the gateway.')
    .option('--host <address>', 'where to listen (WIGWAG_HOST, default 127.0.0.1)')
    .option('--port <number>', 'on which port (WIGWAG_PORT, default 8080)')
    .action(serve)
}

async function serve(flags: Record<string, string>): Promise<void> {
  const { config, ...rest } = surroundings(flags)
  const gateway = await compose(config, rest)
  const { app, metricsApp, requestId } = gateway
  const { host, port, metricsPort } = config
  const listeners: Listener[] = []
  try {
    listeners.push(await listen({ app, host, port, requestId }))
    if (metricsPort !== undefined)
      listeners.push(await listen({ app: metricsApp, host, port: metricsPort, requestId }))
  } catch (error) {
    await close(gateway, listeners)
    throw inWords(error, `${host}:${port}`)
  }
  gateway.start()
  const [front, metrics] = listeners
  if (front) gateway.servedAt(front.url)
  // Whoever reads the banner may ask for the end at once.
  const asked = stopSignal()
  const urls = { url: front?.url ?? '', metricsUrl: metrics?.url, signInUrl: gateway.signInUrl() }
  say(banner({ ...urls, config, demo: gateway.demo }))
  await asked
  say('Stopping …')
  await close(gateway, listeners)
}

async function close(gateway: Gateway, listeners: readonly Listener[]): Promise<void> {
  gateway.drain()
  await Promise.all(listeners.map((listener) => listener.close(DRAIN_MS)))
  await gateway.stop()
}

function inWords(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new Failed(`something else listens on ${place}; choose another port with --port`)
  if (code === 'EACCES') return new Failed(`may not listen on ${place}; choose a port above 1023 with --port`)
  return error
}
