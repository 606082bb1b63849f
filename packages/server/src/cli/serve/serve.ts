import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { compose, type Gateway } from '../../compose.ts'
import type { Config } from '../../config.ts'
import { simulatedWarning } from '../../delivery/index.ts'
import { unknownSettings } from '../../doctor/index.ts'
import { type Listener, type ListenOptions, listen } from '../../platform/http/listen.ts'
import { undeclaredProxy } from '../../platform/http/undeclared-proxy.ts'
import { commandProcess } from '../command-process.ts'
import { listenFailure } from '../listen-failure.ts'
import { runOptions, withDatabase } from '../settings.ts'
import { stopSignal } from '../stop-signal.ts'
import { say } from '../terminal.ts'
import { banner } from './banner.ts'

const DRAIN_MS = 3_000

type Place = Pick<Config, 'host' | 'port'>

export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Run the gateway.')
    .option('--host <address>', 'the address to listen on (WIGWAG_HOST, default 127.0.0.1)')
    .option('--port <number>', 'the port (WIGWAG_PORT, default 8080)')
    .action(serve)
}

async function serve(flags: Record<string, string>): Promise<void> {
  const { config, ...rest } = await runOptions(flags)
  const gateway = await compose(config, rest)
  const listeners: Listener[] = []
  const urls = await openAll(gateway, config, listeners).catch(async (error: unknown) => {
    await close(gateway, listeners)
    throw error
  })
  gateway.start()
  gateway.servedAt(urls.url)
  if (urls.deskUrl !== undefined) gateway.deskServedAt(urls.deskUrl)
  const simulated =
    config.environment === 'production' ? simulatedWarning(gateway.simulatedCarriers()) : undefined
  for (const warning of [undeclaredProxy(config), simulated, ...unknownSettings(config)]) {
    if (warning !== undefined) rest.log.warn(warning)
  }
  // Installed first, because a stop signal may arrive as soon as the banner is shown.
  const asked = stopSignal()
  commandProcess().on('SIGHUP', gateway.reloadCarriers)
  const deskUrl = gateway.deskUrl()
  say(banner({ ...urls, deskUrl, signInUrl: gateway.signInUrl(), simulated, config, demo: gateway.demo }))
  await asked
  say('Stopping …')
  gateway.drain()
  // Requests are still answered meanwhile, and a proxy that asks `/readyz` learns to send no more.
  await pause(config.stopDelayMs)
  await close(gateway, listeners)
}

/** Listens for the API and for metrics. Adds each listener to `listeners` as it opens, in case a later one fails. */
async function openAll(gateway: Gateway, config: Config, listeners: Listener[]) {
  async function open(
    app: ListenOptions['app'],
    place: Place & { anyPort?: boolean },
    setting: string,
  ): Promise<string> {
    const { requestId } = gateway
    const { host, port, anyPort = false } = place
    const listener = await listen({ app, host, port, requestId })
      .catch((error: unknown) => {
        if (anyPort && port !== 0) return listen({ app, host, port: 0, requestId })
        throw error
      })
      .catch((error: unknown) => {
        throw listenFailure(error, place, setting)
      })
    listeners.push(listener)
    return listener.url
  }
  return {
    url: await open(gateway.app, config, '--port'),
    deskUrl:
      config.desk && gateway.deskApp && (await open(gateway.deskApp, config.desk, 'WIGWAG_OPERATOR_PORT')),
    metricsUrl: config.metrics && (await open(gateway.metricsApp, config.metrics, 'WIGWAG_METRICS_PORT')),
  }
}

async function close(gateway: Gateway, listeners: readonly Listener[]): Promise<void> {
  gateway.drain()
  await Promise.all(listeners.map((listener) => listener.close(DRAIN_MS)))
  await gateway.stop()
}
