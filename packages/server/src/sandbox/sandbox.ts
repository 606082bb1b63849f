import { type Micros, micros, toDecimal } from '@wigwag/contract'
import { setSenderStatus } from '../accounts/index.ts'
import type { CarrierVerdict } from '../delivery/index.ts'
import type { Parts } from '../flow/parts.ts'
import { Problem } from '../kernel/errors.ts'
import type { Ticket } from '../kernel/ids.ts'
import type { Principal, WalletPrincipal } from '../kernel/principal.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { findMessage, forgetTotals } from '../messages/index.ts'
import { creditWallet, emptyWallet, forgetEntries } from '../money/index.ts'
import type { OpenPortal, Session } from '../sign-in/portal/index.ts'
import { type Audit, actorOfCaller, createAudit } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import type { Sealer } from '../store/secrets/sealing.ts'
import { finishStep, type Step } from '../store/slices.ts'
import type { SandboxClock } from './clock.ts'
import { DEMO_EMAIL, type DemoSecrets, readDemoSecrets } from './demo.ts'
import type { Faults, Limit } from './faults.ts'
import { RefusedRequests } from './refused.ts'

/** One press of the button that adds play money. */
export const PLAY_MONEY: Micros = micros(50_000_000)

export interface SandboxOverview {
  waiting: readonly WaitingMessage[]
  /** When the next scheduled message goes out. */
  nextScheduled: number | undefined
  /** How many messages the wallet has sent. */
  sent: number
}

const BY_SANDBOX = { by: 'sandbox controls' }

/** A sandbox's features beyond those of a gateway. None of them exists in production. */
export class Sandbox {
  readonly #database: Database
  readonly #audit: Audit
  readonly #sealer: Sealer
  readonly #portal: OpenPortal
  readonly #tell: (ticket: Ticket, verdict: CarrierVerdict) => Promise<void>
  /** The demo account; undefined when an operator has made the first account. */
  readonly demo: (Pick<DemoSecrets, 'accountId'> & { email: string }) | undefined
  /** The initial balance of the demo account's wallet. */
  readonly start: Micros
  readonly clock: SandboxClock
  readonly faults: Faults
  readonly refused = new RefusedRequests()
  readonly startOver: StartOver

  constructor(
    { database, newId }: Pick<Parts, 'database' | 'newId'>,
    own: {
      clock: SandboxClock
      faults: Faults
      sealer: Sealer
      demo: DemoSecrets | undefined
      balance: Micros
      portal: OpenPortal
      /** The steps that delete a wallet's messages and all that came of them. */
      forgetSends(owner: { accountId: string; walletId: string }): Step[]
      tell(ticket: Ticket, verdict: CarrierVerdict): Promise<void>
    },
  ) {
    const { clock, faults, sealer, demo, balance, portal, forgetSends, tell } = own
    this.#database = database
    this.#audit = createAudit({ clock, newId })
    this.#sealer = sealer
    this.#portal = portal
    this.#tell = tell
    this.demo = demo && { accountId: demo.accountId, email: DEMO_EMAIL }
    this.start = balance
    this.clock = clock
    this.faults = faults
    this.startOver = new StartOver({ database, clock, audit: this.#audit, forgetSends, start: balance })
  }

  /** The demo account's credentials as they are now. */
  demoSecrets(): Promise<DemoSecrets | undefined> {
    return readDemoSecrets({ database: this.#database, sealer: this.#sealer })
  }

  /** The limit on callers, with the faults of the gateway itself and a pause while an account starts over. */
  aroundLimit(limit: Limit | undefined): Limit {
    const faulty = this.faults.aroundLimit(limit)
    return (principal) => {
      if (this.startOver.isRunning(principal.accountId))
        throw new Problem('unavailable', 'The sandbox is starting over; repeat the request in a moment.', {
          headers: { 'retry-after': '1' },
        })
      return faulty(principal)
    }
  }

  /** Signs in to the demo account, without its password. */
  readonly openDemo = async (from: {
    address: string
    browser?: string | undefined
  }): Promise<Session | undefined> => this.demo && this.#portal.signInAs(this.demo.accountId, from)

  /** The state that the controls show, in one read that costs the same with a million messages. */
  overview({ wallet }: WalletPrincipal, most: number): Promise<SandboxOverview> {
    return this.#database.read(async (tx) => ({
      waiting: await waitingMessages(tx, wallet.id, most),
      nextScheduled: await nextScheduled(tx, wallet.id),
      sent: await countSentBy(tx, wallet.id),
    }))
  }

  /** Moves the clock forward. */
  forward(caller: Principal, ms: number): Promise<void> {
    return this.clock.forward(ms, (tx) =>
      this.#audit(tx, { ...by(caller), action: 'sandbox.clock', detail: { forwardMs: ms } }),
    )
  }

  /** Ends one of the wallet's messages. False when it has no such message. */
  async tell(
    { accountId, wallet }: WalletPrincipal,
    ticket: string,
    verdict: CarrierVerdict,
  ): Promise<boolean> {
    const message = await this.#database.read((tx) => findMessage(tx, accountId, ticket))
    if (message?.walletId !== wallet.id) return false
    await this.#tell(message.id, verdict)
    return true
  }

  addMoney(caller: WalletPrincipal, amount: Micros): Promise<void> {
    return this.#database.write(async (tx) => {
      await creditWallet(tx, caller.wallet.id, amount, this.clock.now())
      const detail = { amount: toDecimal(amount), ...BY_SANDBOX }
      await this.#audit(tx, { ...by(caller), action: 'wallet.credit', detail })
    })
  }

  /** Takes everything that is not held. */
  emptyWallet(caller: WalletPrincipal): Promise<void> {
    return this.#database.write(async (tx) => {
      const amount = await emptyWallet(tx, caller.wallet.id, this.clock.now())
      await this.#audit(tx, {
        ...by(caller),
        action: 'sandbox.empty-wallet',
        detail: { amount: toDecimal(amount) },
      })
    })
  }

  /** Approves a sender ID that waits. False when it does not. */
  async approveSender(caller: WalletPrincipal, sender: string): Promise<boolean> {
    const { accountId, senders } = caller
    if (senders.get(sender) !== 'pending') return false
    await this.#database.write(async (tx) => {
      await setSenderStatus(tx, { accountId, sender, status: 'approved' }, this.clock.now())
      const detail = { sender, ...BY_SANDBOX }
      await this.#audit(tx, { ...by(caller), action: 'sender.approved', detail })
    })
    return true
  }
}

/** Who moves the sandbox, for the audit log. */
function by(caller: Principal): { actor: string; accountId: string } {
  return { actor: actorOfCaller(caller), accountId: caller.accountId }
}

/** Deletes an account's messages and all that came of them, its totals and its ledger, slice by slice. */
export class StartOver {
  readonly #own: StartingOver
  readonly #running = new Set<string>()

  constructor(own: StartingOver) {
    this.#own = own
  }

  /** Whether this process is deleting the account's data. Its requests are refused meanwhile. */
  isRunning(accountId: string): boolean {
    return this.#running.has(accountId)
  }

  /** Deletes all that an account has sent, and sets its wallet back. False when that is under way already. */
  async run(caller: WalletPrincipal): Promise<boolean> {
    const { database, clock, audit, forgetSends, start, slice } = this.#own
    const { accountId, wallet } = caller
    const walletId = wallet.id
    const inSteps = (work: (tx: Tx) => Promise<boolean>) =>
      finishStep(() => database.write(work, { patient: true }), clock)
    if (this.#running.has(accountId)) return false
    this.#running.add(accountId)
    try {
      for (const step of forgetSends({ accountId, walletId })) await finishStep(step, clock)
      await inSteps((tx) => forgetTotals(tx, walletId))
      await inSteps((tx) => forgetEntries(tx, walletId, { start, now: clock.now(), slice }))
      const actor = actorOfCaller(caller)
      await database.write((tx) => audit(tx, { actor, action: 'sandbox.start-over', accountId }))
    } finally {
      this.#running.delete(accountId)
    }
    return true
  }
}

/** The work of starting over. */
interface StartingOver {
  database: Database
  clock: Clock
  audit: Audit
  /** The steps that delete a wallet's messages and all that came of them. */
  forgetSends(owner: { accountId: string; walletId: string }): Step[]
  /** The wallet's balance afterwards. */
  start: Micros
  /** How many entries of the ledger are deleted at a time. */
  slice?: number
}

/** A message that stays pending until it is told how it ended. */
interface WaitingMessage {
  id: Ticket
  recipient: string
}

/** Of a wallet's open messages, only so many of the newest are looked at. */
const LOOKED_AT = 500

/** A wallet's newest messages to numbers that the simulator is silent about. */
function waitingMessages({ run }: Tx, walletId: string, most: number): Promise<WaitingMessage[]> {
  return run(
    `SELECT id, recipient FROM (
       SELECT id, recipient, status, created_at FROM messages WHERE wallet_id = $1 AND sender_key IS NULL
       ORDER BY created_at DESC LIMIT ${LOOKED_AT}) AS newest
     WHERE status = 'pending' AND recipient LIKE '%00005' ORDER BY created_at DESC LIMIT $2`,
    [walletId, most],
  )
}

/** When a wallet's next scheduled message goes out; undefined when none waits. */
async function nextScheduled({ run }: Tx, walletId: string): Promise<number | undefined> {
  const [row] = await run<{ at: number }>(
    `SELECT send_at AS at FROM messages WHERE wallet_id = $1 AND status = 'scheduled' ORDER BY send_at LIMIT 1`,
    [walletId],
  )
  return row?.at
}

/** How many messages a wallet has sent, by its running totals. */
async function countSentBy({ run }: Tx, walletId: string): Promise<number> {
  const [row] = await run<{ sent: number }>(
    'SELECT CAST(coalesce(sum(sent), 0) AS BIGINT) AS sent FROM hourly_totals WHERE wallet_id = $1',
    [walletId],
  )
  return row?.sent ?? 0
}
