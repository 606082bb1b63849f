import type { Tx } from '../platform/database/database.ts'
import { claimSetting, readSetting } from '../platform/database/settings.ts'

/**
 * A cell is a database with its gateways and its accounts, one of several. Its name is in each client ID and wallet token
 * that is made in it, so that a proxy knows from a request alone where it belongs.
 */

/** The name of the cell that a database is; empty while it is the only one. */
export async function cellOf(tx: Tx): Promise<string> {
  return (await readSetting(tx, 'cell')) ?? ''
}

/** Names a database that has no name yet. Returns the name that it has then. */
export async function nameCell(tx: Tx, name: string): Promise<string> {
  await claimSetting(tx, 'cell', name)
  return cellOf(tx)
}
