import type { Micros } from '@wigwag/contract'
import { countGivenUp } from '../../callbacks/index.ts'
import { available } from '../../domain/money/ledger.ts'
import { findWallet } from '../../money/index.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Person } from '../../portal/index.ts'
import { countScheduled } from '../../sending/index.ts'

/** The figures in the rail. Counts stop at 100, so that a page costs the same with a million. */
export interface Rail {
  currency: string
  available: Micros
  scheduled: number
  givenUp: number
}

const COUNTED = 100

export function readRail(database: Database, { wallet: { id, currency } }: Person): Promise<Rail> {
  return database.read(async (tx) => {
    const wallet = await findWallet(tx, id)
    if (!wallet) throw new Error(`there is no wallet ${id}`)
    return {
      currency,
      available: available(wallet),
      scheduled: await countScheduled(tx, id, COUNTED),
      givenUp: await countGivenUp(tx, id, COUNTED),
    }
  })
}
