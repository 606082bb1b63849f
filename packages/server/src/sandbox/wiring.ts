import { type Micros, micros, toDecimal } from '@wigwag/contract'
import { setSenderStatus } from '../accounts/index.ts'
import { actorOfCaller, createAudit } from '../audit/index.ts'
import type { CarrierVerdict } from '../delivery/index.ts'
import { Problem } from '../domain/errors.ts'
import type { Ticket } from '../domain/ids.ts'
import { findMessage } from '../messages/index.ts'
import { creditWallet, emptyWallet } from '../money/index.ts'
import type { Principal, WalletPrincipal } from '../platform/http/principal.ts'
import type { Parts } from '../platform/parts.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import type { OpenPortal, Session } from '../portal/index.ts'
import type { SandboxClock } from './clock.ts'
import { DEMO_EMAIL } from './demo.ts'
import { type DemoSecrets, readDemoSecrets } from './demo-secrets.ts'
import type { Faults } from './faults/faults.ts'
import type { Limit } from './faults/parts.ts'
import { createRefusedRequests, type RefusedRequests } from './refused.ts'
import { createStartOver, type StartOver } from './start-over.ts'
import { countSentBy, nextScheduled, type WaitingMessage, waitingMessages } from './waiting-messages.ts'

export interface SandboxSubjectParts extends Parts {
  sandboxClock: SandboxClock
  faults: Faults
  sealer: Sealer
  demo: DemoSecrets | undefined
  /** What the demo account's wallet starts with. */
  balance: Micros
  portal: OpenPortal
  tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
}

/** What a sandbox can do beyond a gateway. Nothing of it exists in production. */
export interface Sandbox {
  /** The demo account; undefined when an operator has made the first account. */
  demo: (Pick<DemoSecrets, 'accountId'> & { email: string }) | undefined
  /** Its credentials as they are now. */
  demoSecrets(): Promise<DemoSecrets | undefined>
  /** What the demo account's wallet starts with. */
  start: Micros
  refused: RefusedRequests
  clock: SandboxClock
  faults: Faults
  startOver: StartOver
  /** The limit on callers, with the faults of the gateway itself and a pause while an account starts over. */
  aroundLimit(limit: Limit | undefined): Limit
  /** Signs in to the demo account, without its password. */
  openDemo(from: { address: string; browser?: string | undefined }): Promise<Session | undefined>
  /** What the controls show, in one read that costs the same with a million messages. */
  overview(principal: WalletPrincipal, most: number): Promise<SandboxOverview>
  /** Moves the clock forward. */
  forward(caller: Principal, ms: number): Promise<void>
  /** Ends one of the wallet's messages. False when it has no such message. */
  tell(principal: WalletPrincipal, ticket: string, verdict: CarrierVerdict): Promise<boolean>
  addMoney(principal: WalletPrincipal, amount: Micros): Promise<void>
  /** Takes everything that is not held. */
  emptyWallet(principal: WalletPrincipal): Promise<void>
  /** Approves a sender ID that waits. False when it does not. */
  approveSender(principal: WalletPrincipal, sender: string): Promise<boolean>
}

export interface SandboxOverview {
  waiting: readonly WaitingMessage[]
  /** When the next scheduled message goes out. */
  nextScheduled: number | undefined
  /** How many messages the wallet has sent. */
  sent: number
}

const BY_SANDBOX = { by: 'sandbox controls' }

export function createSandboxSubject(parts: SandboxSubjectParts): Sandbox {
  const { database, clock, newId, sandboxClock, faults, demo, balance, portal } = parts
  const audit = createAudit({ clock, newId })
  const startOver = createStartOver({ database, clock, audit, start: balance })

  return {
    demo: demo && { accountId: demo.accountId, email: DEMO_EMAIL },
    demoSecrets: () => readDemoSecrets(parts),
    start: balance,
    refused: createRefusedRequests(),
    clock: sandboxClock,
    faults,
    startOver,

    aroundLimit(limit) {
      const faulty = faults.aroundLimit(limit)
      return function limited(principal) {
        if (startOver.isRunning(principal.accountId))
          throw new Problem('unavailable', 'The sandbox is starting over; repeat the request in a moment.', {
            headers: { 'retry-after': '1' },
          })
        return faulty(principal)
      }
    },

    openDemo: async (from) => demo && portal.signInAs(demo.accountId, from),

    overview: ({ wallet }, most) =>
      database.read(async (tx) => ({
        waiting: await waitingMessages(tx, wallet.id, most),
        nextScheduled: await nextScheduled(tx, wallet.id),
        sent: await countSentBy(tx, wallet.id),
      })),

    forward: (caller, ms) =>
      sandboxClock.forward(ms, (tx) =>
        audit(tx, { ...by(caller), action: 'sandbox.clock', detail: { forwardMs: ms } }),
      ),

    async tell({ accountId, wallet }, ticket, verdict) {
      const message = await database.read((tx) => findMessage(tx, accountId, ticket))
      if (message?.walletId !== wallet.id) return false
      await parts.tell(message.id, verdict)
      return true
    },

    addMoney: (caller, amount) =>
      database.write(async (tx) => {
        await creditWallet(tx, caller.wallet.id, amount, clock.now())
        const detail = { amount: toDecimal(amount), ...BY_SANDBOX }
        await audit(tx, { ...by(caller), action: 'wallet.credit', detail })
      }),

    emptyWallet: (caller) =>
      database.write(async (tx) => {
        const amount = await emptyWallet(tx, caller.wallet.id, clock.now())
        await audit(tx, {
          ...by(caller),
          action: 'sandbox.empty-wallet',
          detail: { amount: toDecimal(amount) },
        })
      }),

    async approveSender(caller, sender) {
      const { accountId, senders } = caller
      if (senders.get(sender) !== 'pending') return false
      await database.write(async (tx) => {
        await setSenderStatus(tx, { accountId, sender, status: 'approved' }, clock.now())
        const detail = { sender, ...BY_SANDBOX }
        await audit(tx, { ...by(caller), action: 'sender.approved', detail })
      })
      return true
    },
  }
}

/** Who moves the sandbox, for the audit log. */
function by(caller: Principal): { actor: string; accountId: string } {
  return { actor: actorOfCaller(caller), accountId: caller.accountId }
}

/** One press of the button that adds play money. */
export const PLAY_MONEY: Micros = micros(50_000_000)
