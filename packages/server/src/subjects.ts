import packageJson from '../package.json' with { type: 'json' }
import { createOwnAccount } from './accounts/index.ts'
import type { Addresses } from './addresses.ts'
import { createAssistants, createEndOfPerson, createSendLimits } from './assistants/index.ts'
import { createCallbacks } from './callbacks/index.ts'
import type { Config } from './config.ts'
import { type CarrierPlan, createDelivery } from './delivery/index.ts'
import { createEvents } from './events/index.ts'
import { createHistory } from './history/index.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createMoney } from './money/index.ts'
import { createNetwork } from './network.ts'
import type { GatewayParts, RunOptions } from './operator-parts.ts'
import { createBacklog } from './platform/backlog.ts'
import { createValidate } from './platform/http/validate.ts'
import { createJobWorker } from './platform/jobs/job-worker.ts'
import { createObservation } from './platform/observe/observation.ts'
import { createPeople, createSaturation, createSignIn } from './portal/index.ts'
import { createFaults, createSandboxSubject, followDemo, seedDemo } from './sandbox/index.ts'
import { createFieldRules, createSending } from './sending/index.ts'

export interface SubjectsOptions {
  config: Config
  run: RunOptions
  opened: GatewayParts
  addresses: Addresses
  readCarriers(): CarrierPlan
}

export type Subjects = Awaited<ReturnType<typeof createSubjects>>

/** What the gateway does, a subject after the other: each is made from the ones before it. */
export async function createSubjects({ config, run, opened, addresses, readCarriers }: SubjectsOptions) {
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

  const observation = await createObservation({
    ...opened,
    log,
    version: packageJson.version,
    environment: config.environment,
    traces: config.traces,
  })
  const { metrics, fault, tracing } = observation
  const backlog = createBacklog()
  const parts = { database, replica, clock, changes, newId, metrics, log, fault, tracing, backlog }
  const network = createNetwork({ allowLoopback: isSandbox, allowedCidrs: config.callbackAllowedCidrs })
  const worker = createJobWorker({ ...parts, pollMs: config.pollMs })
  const demo = isSandbox ? await seedDemo({ ...opened, balance }) : undefined
  const faults = isSandbox ? createFaults({ clock, log, random: Math.random }) : undefined

  const account = createOwnAccount({ ...parts, sealer, onRotated: followDemo(sealer) })
  const money = createMoney(parts)
  const history = createHistory({ ...parts, sandboxClock, showCarriers: config.showCarriers })
  const receivers = outbound ?? network.callbacks
  const callbacks = createCallbacks({
    ...parts,
    worker,
    sealer,
    uses: account.uses,
    outbound: faults?.aroundReceivers(receivers) ?? receivers,
    realNow,
    timeoutMs: config.callbackTimeoutMs,
    gatherMs: config.gatherMs,
  })
  const events = createEvents({
    ...parts,
    worker,
    outbound: receivers,
    realNow,
    webhook: config.operatorWebhook,
    timeoutMs: config.callbackTimeoutMs,
    lowWalletCheckMs: config.lowWalletCheckMs,
  })
  const delivery = await createDelivery({
    ...config,
    ...parts,
    worker,
    readPlan: readCarriers,
    outbound: outbound ?? network.carriers,
    publicUrl,
    version: packageJson.version,
    schema: opened.schema,
    secrets: opened.boxes().map(({ name }) => name),
    departCallbacks: callbacks.depart,
    steadyClock: sandboxClock?.steady,
    aroundCarrier(carrier) {
      const surrounded = aroundCarrier(carrier)
      return faults?.aroundCarrier(surrounded) ?? surrounded
    },
  })
  const { depart, endMessages, tell } = delivery
  const validate = createValidate(createFieldRules(network.refusal))
  const sending = createSending({
    ...parts,
    worker,
    rates: money.rates,
    queries: history.queries,
    depart,
    endMessages,
    limits: createSendLimits(config.mcp),
    validityMs: config.validityMs,
    validate,
    mostInPart: run.mostInPart,
    lockWaitMs: run.sendLockWaitMs,
  })
  const endConnections = createEndOfPerson(parts)
  const signIn = createSignIn({
    ...parts,
    // In real time, as browsers keep cookies and generators make codes.
    clock: { ...(sandboxClock?.steady ?? clock), now: realClock.now },
    auditClock: clock,
    sealer,
    tell: events.tell,
    endConnections,
    busy: createSaturation(),
    hash: run.hash,
    check: run.check,
  })
  const assistants = createAssistants({
    ...parts,
    standalone,
    keyring,
    keyFor,
    outbound: outbound ?? network.documents,
    publicUrl,
    noteTools: account.uses.noteTools,
  })
  const people = createPeople({ ...parts, realClock, endConnections })
  const sandbox =
    sandboxClock && faults
      ? createSandboxSubject({
          ...parts,
          sandboxClock,
          faults,
          sealer,
          demo,
          balance,
          portal: signIn.portal,
          tell,
        })
      : undefined
  const housekeeping = createHousekeeping({
    ...parts,
    realNow: realClock.now,
    connections: assistants.connections,
    retain: config.retain,
    onFault: fault('housekeeping'),
  })

  return {
    ...{ observation, parts, network, worker, demo, faults, validate, realClock },
    ...{ account, money, history, callbacks, events, delivery, sending, signIn, assistants, sandbox },
    ...{ people, housekeeping },
  }
}
