import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import type pg from 'pg'
import { pino } from 'pino'
import { loadConfig } from '../../../src/config/config.ts'
import { type OperatorParts, openOperatorParts } from '../../../src/gateway/operator-parts.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { type CarrierProcess, openCarrier } from '../../process/carrier.ts'
import { serving } from '../../process/server.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { connectTo, freshPostgres } from '../../support/postgres.ts'
import { SEGMENT_PRICE } from './choose.ts'
import { type Gateways, startGateways } from './gateways.ts'
import { type SharedWallet, shareWallet } from './wallets.ts'

export interface SceneOptions {
  gateways: number
  wallets: number
  /** The program to run, if not the one that was built. */
  main?: string
}

/** Gateways on one PostgreSQL with one carrier, each a process, and wallets with little in them. */
export interface Scene {
  gateways: Gateways
  parts: OperatorParts
  carrier: CarrierProcess
  /** A connection beside the gateways' own. */
  administrator: pg.Client
  wallets: readonly [SharedWallet, ...SharedWallet[]]
  close(): Promise<void>
}

export async function openScene({ gateways: count, wallets, main }: SceneOptions): Promise<Scene> {
  const opened: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end()
  }
  try {
    const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-history-'))
    opened.push(() => rm(folder, { recursive: true, force: true }))
    const place = await freshPostgres()
    opened.push(place.drop)
    const carrier = await openCarrier(folder)
    opened.push(carrier.kill)
    await carrier.start(['--ids', 'mixed', '--delay', '20', '--receipt-first'])
    const settings = 'binds=1&ids=hex-then-decimal&responseMs=1000&reconnectMs=100'
    const env = {
      WIGWAG_DATABASE_URL: place.url,
      WIGWAG_CARRIER: `smpp://history:secret@127.0.0.1:${carrier.port}?${settings}`,
      WIGWAG_POSTGRES_CONNECTIONS: '6',
    }
    const gateways = await startGateways(count, { folder, env, program: serving(main) })
    opened.push(gateways.close)
    const parts = await openOperatorParts(loadConfig({ database: place.url }, {}, folder), {
      clock: systemClock,
      acting: { actor: 'operator:ama' },
      log: pino({ level: 'silent' }),
      onFatal() {},
    })
    opened.push(() => parts.close())
    const administrator = await connectTo(place.url)
    opened.push(() => administrator.end())
    return { gateways, parts, carrier, administrator, wallets: await openWallets(parts, wallets), close }
  } catch (error) {
    await close()
    throw error
  }
}

const OPENING = 20 * SEGMENT_PRICE

async function openWallets({ operator }: OperatorParts, count: number): Promise<Scene['wallets']> {
  const open = async (index: number) => {
    const name = `wallet-${index}`
    const account = await operator.createAccount({
      name,
      email: `${name}@example.com`,
      currency: 'GHS',
      balance: micros(OPENING),
      senders: ['WIGWAG'],
    })
    return shareWallet(account, name, OPENING)
  }
  const first = await open(0)
  const others = await Promise.all(Array.from({ length: count - 1 }, (_, index) => open(index + 1)))
  return [first, ...others]
}
