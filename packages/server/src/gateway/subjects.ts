import packageJson from '../../package.json' with { type: 'json' }
import { openOwnAccount } from '../accounts/index.ts'
import { CallerLimits, endOfPerson, openAssistants } from '../assistants/index.ts'
import { openEvents } from '../callbacks/events/index.ts'
import { openCallbacks } from '../callbacks/index.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { type CarrierPlan, openDelivery, SmppThread } from '../delivery/index.ts'
import { Backlog } from '../flow/backlog.ts'
import { gatewayWorker } from '../flow/jobs/worker.ts'
import { Repeating } from '../flow/repeating.ts'
import { watchThreads } from '../kernel/process/thread-metrics.ts'
import { HOUR_MS } from '../kernel/time/spans.ts'
import { openMail } from '../mail/index.ts'
import { openHistory } from '../messages/history/index.ts'
import { messageRules, openSending } from '../messages/sending/index.ts'
import { openMoney } from '../money/index.ts'
import { Network } from '../net/outbound/outbound.ts'
import { NetworkThread } from '../net/outbound/thread.ts'
import { Validation } from '../net/server/validate.ts'
import { AccountAlerts, tellTroubles } from '../operate/alerts/index.ts'
import { Housekeeping } from '../operate/housekeeping.ts'
import { forgetSends } from '../operate/privacy/index.ts'
import { Faults, Sandbox, seedDemo } from '../sandbox/index.ts'
import { openSignIn, People, Saturation } from '../sign-in/portal/index.ts'
import { openObservation } from './observation.ts'
import type { GatewayParts, RunOptions } from './operator-parts.ts'

export type Subjects = Awaited<ReturnType<typeof openSubjects>>

/** Opens the gateway's subjects, each from the ones before it. */
export async function openSubjects({
  config,
  run,
  opened,
  addresses,
  readCarriers,
}: {
  config: Config
  run: RunOptions
  opened: GatewayParts
  addresses: Addresses
  readCarriers(): CarrierPlan
}) {
  const { log, outbound, aroundCarrier = (carrier) => carrier } = run
  const {
    clock,
    realClock,
    sandboxClock,
    database,
    replica,
    changes,
    standalone,
    keyring,
    sealer,
    keyFor,
    newId,
  } = opened
  const { publicUrl } = addresses
  const isSandbox = config.environment === 'sandbox'
  const balance = config.demoBalance
  const realNow = sandboxClock?.real.now

  const observation = await openObservation({
    ...opened,
    log,
    version: packageJson.version,
    environment: config.environment,
    traces: config.traces,
    exportMs: run.exportTracesMs,
  })
  const { metrics, fault, tracing } = observation
  const backlog = new Backlog()
  const parts = { database, replica, clock, changes, newId, metrics, log, fault, tracing, backlog }
  const allowed = { allowLoopback: isSandbox, allowedCidrs: config.callbackAllowedCidrs }
  const steadyClock = sandboxClock?.steady
  const side = { clock: steadyClock ?? clock, log }
  const network = run.threads
    ? new NetworkThread({ ...side, onFault: fault('threads/network') }, allowed)
    : new Network(allowed)
  const smppThread = run.threads ? new SmppThread({ ...side, onFault: fault('threads/carriers') }) : undefined
  const threads = [network, smppThread].flatMap((hosted) =>
    hosted && 'thread' in hosted ? [hosted.thread] : [],
  )
  watchThreads(metrics, threads)
  const worker = gatewayWorker(parts, config.pollMs)
  const demo = isSandbox ? await seedDemo({ ...opened, balance }) : undefined
  const faults = isSandbox ? new Faults({ clock, log, random: Math.random }) : undefined

  const account = openOwnAccount({
    ...parts,
    sealer,
    onRotated: opened.onRotated,
    operator: config.operator,
  })
  const money = openMoney(parts)
  const history = openHistory(parts, { sandboxClock, showCarriers: config.showCarriers })
  const receivers = outbound ?? network.callbacks
  const callbacks = openCallbacks(parts, {
    worker,
    sealer,
    uses: account.uses,
    outbound: faults?.aroundReceivers(receivers) ?? receivers,
    realNow,
    timeoutMs: config.callbackTimeoutMs,
    gatherMs: config.gatherMs,
  })
  const events = openEvents(parts, {
    worker,
    outbound: receivers,
    realNow,
    webhook: config.operatorWebhook,
    timeoutMs: config.callbackTimeoutMs,
    lowWalletCheckMs: config.lowWalletCheckMs,
  })
  const mails = openMail(parts, { worker, server: config.mail })
  const delivery = await openDelivery({
    ...config,
    ...parts,
    worker,
    readPlan: readCarriers,
    outbound: outbound ?? network.carriers,
    publicUrl,
    version: packageJson.version,
    schema: opened.schema,
    secrets: opened.boxes().map(({ name }) => name),
    strandedMs: run.strandedMs,
    endedThreads: () => threads.filter((thread) => thread.endedWithin(HOUR_MS)).map(({ name }) => name),
    departCallbacks: callbacks.depart,
    steadyClock,
    smppThread,
    aroundCarrier(carrier) {
      const surrounded = aroundCarrier(carrier)
      return faults?.aroundCarrier(surrounded) ?? surrounded
    },
  })
  const { depart, endMessages, tell } = delivery
  const validation = new Validation(messageRules(network.refusal))
  const sending = openSending(parts, {
    worker,
    rates: money.rates,
    queries: history.queries,
    depart,
    endMessages,
    limits: new CallerLimits(config.mcp),
    validityMs: config.validityMs,
    validation,
    mostInPart: run.mostInPart,
    lockWaitMs: run.sendLockWaitMs,
  })
  const saturation = new Saturation()
  const signIn = openSignIn({
    ...parts,
    // In real time, as browsers keep cookies and generators make codes.
    clock: { ...(sandboxClock?.steady ?? clock), now: realClock.now },
    auditClock: clock,
    sealer,
    tell: events.tell,
    endConnections: (...asked) => endOfPerson(parts, ...asked),
    busy: run.busy ?? (() => saturation.isSaturated()),
    hash: run.hash,
    check: run.check,
  })
  const assistants = openAssistants(parts, {
    operator: config.operator,
    standalone,
    keyring,
    keyFor,
    outbound: outbound ?? network.documents,
    publicUrl,
    uses: account.uses,
    hourlyLimits: run.hourlyLimits,
  })
  const people = new People({
    ...parts,
    realClock,
    endConnections: (...asked) => endOfPerson(parts, ...asked),
  })
  const sandbox =
    sandboxClock && faults
      ? new Sandbox(parts, {
          clock: sandboxClock,
          faults,
          sealer,
          demo,
          balance,
          portal: signIn.portal,
          forgetSends: (owner) => forgetSends(database, owner),
          tell,
        })
      : undefined
  const deskUrl = () => (config.desk ? addresses.deskUrl() : undefined)
  const alertsUrl = () => `${publicUrl()}/alerts`
  const accountAlerts = new AccountAlerts(parts, { mails, key: keyFor('mail codes'), pageUrl: alertsUrl })
  const alerts = new Repeating(clock, {
    everyMs: config.alertCheckMs,
    work: () => tellTroubles(parts, { config, events, mails, deskUrl, alertsUrl }),
    onFault: fault('alerts'),
  })
  const housekeeping = new Housekeeping(parts, {
    realNow: realClock.now,
    connections: assistants.connections,
    retain: config.retain,
    onFault: fault('housekeeping'),
  })

  return {
    observation,
    parts,
    network,
    smppThread,
    worker,
    demo,
    faults,
    validation,
    realClock,
    account,
    money,
    history,
    callbacks,
    events,
    mails,
    alerts,
    accountAlerts,
    delivery,
    sending,
    signIn,
    assistants,
    sandbox,
    people,
    housekeeping,
  }
}
