import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../../src/kernel/process/clock.ts'
import { createRandom } from '../../support/random.ts'
import { askGateway } from './ask.ts'
import { createChooser, type Intent } from './choose.ts'
import type { Gateways } from './gateways.ts'
import { answerOf, codeOf, type Operation } from './history.ts'
import { type SharedWallet, tellAccepted, tellAsked } from './wallets.ts'

export interface ClientsOptions {
  gateways: Gateways
  wallets: readonly [SharedWallet, ...SharedWallet[]]
  clock: Clock
  seed: number
  clients: number
  restMs: number
}

export interface Clients {
  operations: Operation[]
  newId(): number
  stop(): Promise<void>
}

/** Clients that ask one thing after the other, of any gateway, and record what they were answered. */
export function startClients(options: ClientsOptions): Clients {
  const { gateways, wallets, clock, seed, restMs } = options
  const operations: Operation[] = []
  let ids = 0
  let marks = 0
  let running = true
  const newId = () => ++ids

  async function client(number: number): Promise<void> {
    const random = createRandom(seed * 1_000 + number)
    const choose = createChooser({ random, clock, newMark: () => `m${++marks}` })
    let owed: { wallet: SharedWallet; intent: Intent } | undefined
    while (running) {
      await pause(random.from(0, 2 * restMs))
      const wallet = owed?.wallet ?? random.pick(wallets)
      const intent = owed?.intent ?? choose(wallet)
      const gateway = random.from(0, gateways.count)
      const operation = await ask(number, gateway, wallet, intent)
      owed = stillOwed(wallet, operation)
    }
  }

  async function ask(
    client: number,
    gateway: number,
    wallet: SharedWallet,
    intent: Intent,
  ): Promise<Operation> {
    if (intent.kind === 'send') tellAsked(wallet, intent.ask)
    const began = clock.elapsed()
    const asking = {
      url: gateways.urlOf(gateway),
      account: wallet.account,
      record: () => ({ id: newId(), client, gateway, wallet: wallet.name, began, ended: clock.elapsed() }),
    }
    const operation = await askGateway(asking, intent)
    operations.push(operation)
    if (operation.kind === 'send') tellAccepted(wallet, operation.ask, answerOf(operation)?.tickets ?? [])
    return operation
  }

  const all = Array.from({ length: options.clients }, (_, number) => client(number))
  // A client that failed is seen when all are stopped.
  for (const each of all) each.catch(() => undefined)
  return {
    operations,
    newId,
    async stop() {
      running = false
      await Promise.all(all)
    },
  }
}

/** A careful client repeats a send with a key until it is answered, and looks for one without. */
function stillOwed(
  wallet: SharedWallet,
  operation: Operation,
): { wallet: SharedWallet; intent: Intent } | undefined {
  if (operation.kind !== 'send') return undefined
  const { ask, outcome } = operation
  if (outcome.is === 'ok') return undefined
  if (ask.key === undefined)
    return outcome.is === 'unknown'
      ? { wallet, intent: { kind: 'search', ask: { mark: ask.mark, whole: false } } }
      : undefined
  const code = codeOf(operation)
  const isOpen = outcome.is === 'unknown' || code === 'unreached' || code === 'idempotency_in_progress'
  return isOpen ? { wallet, intent: { kind: 'send', ask } } : undefined
}
