import type { Tx } from '../store/database.ts'
import { claimSetting, readSetting } from '../store/settings.ts'

/**
 * A cell is a database with its gateways and its accounts, where an operator runs several. The client IDs and wallet tokens
 * that are made in a cell contain its name, so that a proxy knows from a request alone which cell it is for.
 */

/** The name of the cell; empty where there is only one. */
export async function cellName(tx: Tx): Promise<string> {
  return (await readSetting(tx, 'cell')) ?? ''
}

/** Names the cell unless it has a name. Returns the name that it has then. */
export async function nameCell(tx: Tx, name: string): Promise<string> {
  await claimSetting(tx, 'cell', name)
  return cellName(tx)
}
