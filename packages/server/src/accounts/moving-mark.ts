import type { Tx } from '../platform/database/database.ts'
import { readSetting, removeSetting, writeSetting } from '../platform/database/settings.ts'
import type { AccountRow } from './accounts.ts'

/** Notes, on both sides, that an account moves from one cell to another. Until it has arrived it stays suspended. */
export interface MovingMark {
  /** The cells by their names, or by their databases where they have none. */
  from: string
  to: string
  /** The run of a command that goes on with it. */
  run: string
  /** The status that it had before. */
  before: AccountRow['status']
  /** Whether both sides were the same, so that the account is the other cell's. */
  handedOver: boolean
}

export async function readMovingMark(tx: Tx, accountId: string): Promise<MovingMark | undefined> {
  const text = await readSetting(tx, `moving:${accountId}`)
  return text === undefined ? undefined : (JSON.parse(text) as MovingMark)
}

export function writeMovingMark(tx: Tx, accountId: string, mark: MovingMark): Promise<void> {
  return writeSetting(tx, `moving:${accountId}`, JSON.stringify(mark))
}

export function removeMovingMark(tx: Tx, accountId: string): Promise<void> {
  return removeSetting(tx, `moving:${accountId}`)
}

/** The accounts that move to another cell or come from one. */
export async function movingAccounts({ run }: Tx): Promise<{ accountId: string; mark: MovingMark }[]> {
  const rows = await run<{ accountId: string; value: string }>(
    `SELECT substr(name, 8) AS "accountId", value FROM settings WHERE name LIKE 'moving:%' ORDER BY name`,
    [],
  )
  return rows.map(({ accountId, value }) => ({ accountId, mark: JSON.parse(value) as MovingMark }))
}
