import { createCancelScheduled } from '../delivery/index.ts'
import type { Ticket } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Owner } from './belongings.ts'
import type { Cell } from './cell.ts'
import { isAtRest, type Open, openOf } from './open.ts'

export interface RestOptions {
  /** How often to look; every two seconds when left out: gateways remember for one who was let in. */
  askMs?: number
  /** Told what is still open. */
  onWait(open: Open): void
  /** Throws when another command has taken over. */
  mayGoOn(tx: Tx): Promise<void>
}

const ASK_MS = 2_000

/** Waits until nothing of an account is open. Its gateways bring it to an end as always: nothing new is accepted. */
export async function comeToRest(
  { database, clock }: Cell,
  owner: Owner,
  { askMs = ASK_MS, onWait, mayGoOn }: RestOptions,
): Promise<void> {
  for (;;) {
    await new Promise<void>((resolve) => clock.after(askMs, resolve))
    const open = await database.read(async (tx) => {
      await mayGoOn(tx)
      return openOf(tx, owner, clock.now())
    })
    if (isAtRest(open)) return
    onWait(open)
  }
}

/** Cancels the scheduled messages of an account and gives their holds back. One whose time has come meanwhile is sent. */
export async function cancelScheduled(cell: Cell, { walletIds }: Owner): Promise<void> {
  const cancel = createCancelScheduled(cell)
  for (const walletId of walletIds) {
    const scheduled = await cell.database.read(({ run }) =>
      run<{ id: Ticket }>("SELECT id FROM messages WHERE wallet_id = $1 AND status = 'scheduled'", [
        walletId,
      ]),
    )
    for (const { id } of scheduled) await cancel(id)
  }
}
