import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { simulatedWarning } from '../../delivery/index.ts'
import { compose, type Gateway } from '../../gateway/compose.ts'
import type { RunOptions } from '../../gateway/operator-parts.ts'
import { type OwnProcess, ownProcess } from '../../gateway/processes/own-process.ts'
import { undeclaredProxy } from '../../net/callers/client-address.ts'
import { type Listener, listen, type Serving } from '../../net/server/listen.ts'
import { unknownSettings } from '../../operate/doctor/index.ts'
import { commandProcess, stopSignal } from '../command-process.ts'
import { listenFailure } from '../failure.ts'
import { runOptions, withDatabase } from '../settings.ts'
import { asServeFailure, banner, factsOf, greet, isForPrograms, sayStopping } from './greeting.ts'
import { serveAmongOthers, watchOver } from './processes.ts'

const DRAIN_MS = 3_000

type Place = Pick<Config, 'host' | 'port'>

export function serveCommand(): Command {
  return withDatabase(new Command('serve'))
    .description('Run the gateway.')
    .option('--host <address>', 'the address to listen on (WIGWAG_HOST, default 127.0.0.1)')
    .option('--port <number>', 'the port (WIGWAG_PORT, default 8080)')
    .option(
      '--processes <number>',
      'how many gateways share the port, on PostgreSQL (WIGWAG_PROCESSES, default: in production one for each two processors, at most 8)',
    )
    .action(serve)
}

async function serve(flags: Record<string, string>): Promise<void> {
  const own = ownProcess(commandProcess().env)
  try {
    const { config, ...rest } = await runOptions(flags, own?.number)
    // In the cluster of another program, that program has chosen how many there are.
    if (config.processes > 1 && cluster.isPrimary) await watchOver(config, rest)
    else await serveOne(config, rest, own)
  } catch (error) {
    throw await asServeFailure(error, own?.number)
  } finally {
    own?.leave()
  }
}

async function serveOne(config: Config, rest: RunOptions, own: OwnProcess | undefined): Promise<void> {
  const gateway = await compose(config, {
    ...rest,
    ...(isForPrograms(config.environment) && { onFatal: (error) => endInLog(error, rest.log) }),
    // With one processor, a thread beside the first would only take turns with it.
    threads: availableParallelism() > 1,
    renderMetrics: own && (() => own.metrics()),
  })
  const listeners: Listener[] = []
  const urls = await openAll(gateway, config, listeners, own).catch(async (error: unknown) => {
    await close(gateway, listeners)
    throw error
  })
  gateway.start()
  gateway.servedAt(urls.url)
  if (urls.deskUrl !== undefined) gateway.deskServedAt(urls.deskUrl)
  const simulated =
    config.environment === 'production' ? simulatedWarning(gateway.simulatedCarriers()) : undefined
  const warnings = [undeclaredProxy(config), simulated, ...unknownSettings(config)].filter(
    (warning) => warning !== undefined,
  )
  const deskUrl = gateway.deskUrl()
  const started = {
    ...urls,
    deskUrl,
    signInUrl: gateway.signInUrl(),
    simulated,
    config,
    demo: gateway.demo,
  }
  const greeting = { banner: banner(started), facts: factsOf(started), warnings }
  if (own) await serveAmongOthers(own, gateway, greeting, rest.log)
  else {
    // Installed first, because a stop signal may arrive as soon as the banner is shown.
    const asked = stopSignal()
    commandProcess().on('SIGHUP', gateway.reloadCarriers)
    greet(greeting, config, rest.log)
    await asked
    sayStopping(config, rest.log)
  }
  gateway.drain()
  // Requests are still answered meanwhile, and a proxy that asks `/readyz` learns to send no more.
  await pause(config.stopDelayMs)
  await close(gateway, listeners)
}

function endInLog(err: Error, log: RunOptions['log']): void {
  log.fatal({ err }, 'the disk failed; exiting, so that no message is accepted that is not stored')
  commandProcess().exit(1)
}

/**
 * Listens for the API, for metrics and for the desk. Adds each listener to `listeners` as it opens, in case a later one
 * fails. Of several processes one has the desk, which keeps in memory what operators have begun there. It comes last: free
 * ports (0) are shared by the order in which they are asked for.
 */
async function openAll(gateway: Gateway, config: Config, listeners: Listener[], own: OwnProcess | undefined) {
  async function open(
    app: Serving['app'],
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
  const url = await open(gateway.app, config, '--port')
  const metricsUrl = config.metrics && (await open(gateway.metricsApp, config.metrics, 'WIGWAG_METRICS_PORT'))
  const hasDesk = own === undefined || own.hasDesk
  const deskUrl =
    hasDesk && config.desk && gateway.deskApp
      ? await open(gateway.deskApp, config.desk, 'WIGWAG_OPERATOR_PORT')
      : undefined
  return { url, metricsUrl, deskUrl }
}

async function close(gateway: Gateway, listeners: readonly Listener[]): Promise<void> {
  gateway.drain()
  await Promise.all(listeners.map((listener) => listener.close(DRAIN_MS)))
  await gateway.stop()
}
