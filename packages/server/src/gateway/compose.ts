/** The whole gateway: what is opened, what it does, what it shows, and how it starts and stops. */

import type { Connections, Delegation } from '../assistants/index.ts'
import { Addresses } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { type Delivery, readPlan } from '../delivery/index.ts'
import type { Snapshot } from '../kernel/process/metrics.ts'
import type { DemoSecrets, Sandbox } from '../sandbox/index.ts'
import type { Portal } from '../sign-in/portal/index.ts'
import { type Fronts, openFronts } from './fronts.ts'
import { type GatewayParts, openGatewayParts, type RunOptions } from './operator-parts.ts'
import { openSubjects } from './subjects.ts'

export interface Gateway extends GatewayParts, Fronts {
  demo: DemoSecrets | undefined
  /** The controls of a sandbox; undefined in production. */
  sandbox: Sandbox | undefined
  tell: Delivery['tell']
  /** The names of the carriers that reach no phone. */
  simulatedCarriers(): string[]
  portal: Portal
  connections: Connections
  delegation: Delegation
  /** Sets the address that it listens on, which is also its public address unless one is configured. */
  servedAt(url: string): void
  /** The same for the desk. */
  deskServedAt(url: string): void
  /** The address at which operators open the desk; undefined where there is none. */
  deskUrl(): string | undefined
  /** The address at which people sign in; undefined where they can't. */
  signInUrl(): string | undefined
  /** Whether the worker and the housekeeping have nothing to do before some later time. */
  idle(): boolean
  start(): void
  /** Makes `/readyz` report not ready, so that no new requests come, and ends the pages' streams. */
  drain(): void
  /** Reads the carriers' file again. */
  reloadCarriers(): Promise<void>
  /** This process's metrics. */
  snapshot(): Promise<Snapshot>
  /** Takes no new jobs, finishes those under way or gives them back, and closes the database. */
  stop(): Promise<void>
}

/** How long a stop waits for jobs that are under way. */
const STOP_MS = 5_000

export async function compose(config: Config, run: RunOptions): Promise<Gateway> {
  const { given, variables, ...around } = config.carrier
  const readCarriers = () => readPlan(given, { ...around, environment: variables() })
  // Throws before the database is migrated if the carriers can't be read.
  readCarriers()
  const opened = await openGatewayParts(config, run)
  const addresses = new Addresses(config)
  const subjects = await openSubjects({ config, run, opened, addresses, readCarriers })
  const stopping = new AbortController()
  const { live, renderMetrics } = run
  const fronts = openFronts({
    config,
    opened,
    addresses,
    subjects,
    live,
    renderMetrics,
    stopping: stopping.signal,
  })
  const { observation, parts, network, smppThread, worker, faults, housekeeping } = subjects
  const { account, callbacks, delivery, events, mails, alerts, assistants } = subjects
  opened.database.refuseWhileSilent?.()

  return {
    ...opened,
    ...fronts,
    demo: subjects.demo,
    sandbox: subjects.sandbox,
    tell: delivery.tell,
    simulatedCarriers: () => delivery.fleet.simulated(),
    portal: subjects.signIn.portal,
    connections: assistants.connections,
    delegation: assistants.delegation,
    servedAt: addresses.servedAt,
    deskServedAt: addresses.deskServedAt,
    deskUrl: () => (config.desk ? addresses.deskUrl() : undefined),
    signInUrl: () => (addresses.canSignIn ? addresses.publicUrl() : undefined),
    idle: () =>
      worker.idle(faults?.keptWaiting()) &&
      [
        housekeeping,
        events.lowWallets,
        alerts,
        delivery.control,
        delivery.tally,
        account.uses,
        account.addresses,
        account.refusals,
      ].every((part) => part.idle()),
    start() {
      delivery.fleet.start()
      worker.start([...delivery.lanes, callbacks.lane, events.lane, ...mails.lanes])
      delivery.control.start()
      housekeeping.start()
      events.lowWallets.start()
      alerts.start()
    },
    reloadCarriers: () => delivery.control.reload(),
    snapshot: () => observation.metrics.snapshot(),
    drain() {
      stopping.abort()
    },
    async stop() {
      stopping.abort()
      // Releases what a fault holds back.
      faults?.end()
      const looking = [housekeeping, events.lowWallets, alerts, delivery.control]
      await Promise.all(looking.map((part) => part.stop()))
      mails.close()
      await worker.stop(STOP_MS, delivery.fleet.behind)
      // A part that fails to close, such as while the database is away, must not leave the others open: the process would never end.
      const others = [
        () => account.uses.stop(),
        () => account.addresses.stop(),
        () => delivery.tally.store(),
        () => account.refusals.store(),
        network.close,
        smppThread?.close,
        observation.tracing?.stop,
        opened.close,
      ]
      for (const close of others) await (async () => close?.())().catch(parts.fault('stop'))
    },
  }
}
