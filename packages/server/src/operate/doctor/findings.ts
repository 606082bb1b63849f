import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { counted, micros, toDecimal } from '@wigwag/contract'
import { listKeys } from '../../assistants/index.ts'
import type { Config } from '../../config/config.ts'
import { fail, ok, type Verdict, warn, wrong } from '../../kernel/finding.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import { brokenEntries, countLedger, type UnevenWallet, unevenWallets } from '../../money/index.ts'
import { undeclaredProxy } from '../../net/callers/client-address.ts'
import { AddressGuard } from '../../net/outbound/address-guard.ts'
import {
  BlockedAddress,
  LookupFailed,
  resolveChecked,
  SystemLookup,
} from '../../net/outbound/checked-lookup.ts'
import { countFailures, countRegistrations, failedEmails, lockedUntil } from '../../sign-in/portal/index.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
import { fileOf } from '../../store/open.ts'
import { sealedValues } from '../../store/secrets/reseal.ts'
import { findSecret, requireUnsealed, secretFileOf } from '../../store/secrets/sandbox-secret.ts'
import { boxesOf, openWith, readMark } from '../../store/secrets/sealing.ts'

const GIB = 2 ** 30
const ROOM = { warn: GIB, fail: GIB / 10 }
const OTHERS = 0o077

export async function checkDisk(
  _: ReadOnlyDatabase,
  { database: url }: Config,
): Promise<Verdict | undefined> {
  const file = fileOf(url)
  if (file === undefined) return undefined
  const { bavail, bsize } = await statfs(dirname(file))
  const free = bavail * bsize
  const found = `${(free / GIB).toFixed(1)} GiB free in ${resolve(dirname(file))}`
  if (free >= ROOM.warn) return ok(found)
  if (free >= ROOM.fail) return warn(`${found}: ${MAKE_ROOM}`)
  return fail(`${found}, and nothing is accepted once it is full: ${MAKE_ROOM}`)
}

const MAKE_ROOM = 'make the volume larger, or move other files away; a running gateway goes on by itself'

/** Whether other users of this machine can read the database files. */
export async function checkFiles(
  _: ReadOnlyDatabase,
  { database: url }: Config,
): Promise<Verdict | undefined> {
  const file = fileOf(url)
  if (file === undefined) return undefined
  const files = [file, `${file}-wal`, `${file}-shm`, secretFileOf(file)]
  const open = files.filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0)
  return open.length === 0
    ? ok('readable by their owner only')
    : warn(`others can read them: chmod 600 ${quoted(file)}*`)
}

/** A path quoted for a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** The most findings listed per check. */
const MOST = 20

/** Checks that no wallet's chain has a gap and that every wallet equals the sum of its rows. */
export async function checkLedger(database: ReadOnlyDatabase): Promise<Verdict | Verdict[]> {
  const broken = await database.read((tx) => brokenEntries(tx, MOST))
  const uneven = await database.read((tx) => unevenWallets(tx, MOST))
  const { wallets, entries } = await database.read(countLedger)
  const wrong = [
    ...broken.map(
      ({ walletId, seq }) => `wallet ${walletId}: entry ${seq} does not follow the one before it`,
    ),
    ...uneven.map(unevenness),
  ]
  if (wrong.length > 0) return wrong.map(fail)
  return ok(
    `${counted(wallets, 'wallet')} and ${counted(entries, 'entry', 'entries')}: no gap, and everything adds up`,
  )
}

function unevenness({ walletId, posted, entered, held, promised }: UnevenWallet): string {
  if (posted !== entered)
    return `wallet ${walletId}: says ${decimal(posted)}, its entries add up to ${decimal(entered)}`
  if (held !== promised) {
    return `wallet ${walletId}: holds ${decimal(held)}, its messages in progress cost ${decimal(promised)}`
  }
  return `wallet ${walletId}: its entry count differs from its number of entries`
}

function decimal(amount: number): number {
  return toDecimal(micros(amount))
}

/** Checks that every sealed value opens, including the keys of the authorization server. */
export function checkSecret(database: ReadOnlyDatabase, config: Config): Promise<Verdict | Verdict[]> {
  const { secret, previousSecret, database: url } = config
  const file = fileOf(url)
  return database.read(async (tx) => {
    const current = secret ?? (await findSecret(tx, file))
    if (current === undefined) {
      await requireUnsealed(tx, file)
      return ok('none yet: the gateway creates one when it starts')
    }
    const boxes = boxesOf(previousSecret === undefined ? [current] : [current, previousSecret])
    await readMark(tx, boxes)
    const values = await sealedValues(tx)
    const opening = values.map(({ sealed, at }) => openWith(boxes, sealed, at)?.box)
    const stuck = values.filter((_, index) => opening[index] === undefined)
    if (stuck.length > 0) {
      return stuck.slice(0, MOST).map(({ place, at }) => fail(`no secret opens ${place.hint(at.key)}`))
    }
    const old = opening.filter((box) => box !== boxes[0]).length
    if (previousSecret === undefined) return ok(`opens everything that is sealed (${values.length})`)
    if (old === 0) return warn('WIGWAG_SECRET_PREVIOUS is not needed any more: remove it from every gateway')
    return warn(
      `${counted(old, 'value is', 'values are')} sealed with WIGWAG_SECRET_PREVIOUS: when every gateway has both secrets, run wigwag secret reseal`,
    )
  })
}

/** Only counts the keys. The check of the secret covers whether they open. */
export async function checkKeys(
  database: ReadOnlyDatabase,
  _: Config,
  { now }: { now(): Promise<EpochMs> },
): Promise<Verdict> {
  const keys = (await database.read(listKeys)).filter(({ purpose }) => purpose === 'sign')
  const [newest] = keys
  if (!newest) return ok('none yet: the gateway creates them for the first assistant')
  const days = Math.floor(((await now()) - newest.createdAt) / DAY_MS)
  return ok(`${keys.length} to sign with, the newest ${counted(days, 'day')} old`)
}

export async function checkAddress(_: ReadOnlyDatabase, config: Config): Promise<Verdict> {
  const { publicUrl, environment } = config
  const production = environment === 'production'
  if (publicUrl === undefined) {
    return production
      ? warn('WIGWAG_PUBLIC_URL is not set, so no one can sign in')
      : ok('WIGWAG_PUBLIC_URL is not set: it is the address that the gateway listens on')
  }
  if (production && !isHttps(publicUrl)) return warn(`${publicUrl} is reachable from this machine only`)
  return ok(publicUrl)
}

/** Whether events for the operator can leave. Shown only where there is a webhook. */
export async function checkWebhook(
  _: ReadOnlyDatabase,
  { operatorWebhook, environment, callbackAllowedCidrs: allowedCidrs }: Config,
): Promise<Verdict | undefined> {
  if (operatorWebhook === undefined) return undefined
  const { hostname, origin } = new URL(operatorWebhook.url)
  const guard = new AddressGuard({ allowLoopback: environment === 'sandbox', allowedCidrs })
  try {
    await resolveChecked(new SystemLookup().resolve, guard, hostname.replace(/^\[|\]$/g, ''))
    return ok(origin)
  } catch (error) {
    if (error instanceof BlockedAddress)
      return wrong(`${origin}: ${error.message}; put its range into WIGWAG_CALLBACK_ALLOW`)
    if (error instanceof LookupFailed) return wrong(`${origin}: ${error.message}`)
    throw error
  }
}

export async function checkProxies(_: ReadOnlyDatabase, config: Config): Promise<Verdict> {
  const warning = undeclaredProxy(config)
  return warning === undefined ? ok(config.trustedProxies.join(', ') || 'none') : warn(warning)
}

export async function checkRegistrations(database: ReadOnlyDatabase): Promise<Verdict> {
  const { registered, unused } = await database.read(countRegistrations)
  return ok(
    `${counted(registered, 'client registered itself', 'clients registered themselves')}, ${unused} unused`,
  )
}

export async function checkAttempts(
  database: ReadOnlyDatabase,
  _: Config,
  { now }: { now(): Promise<EpochMs> },
): Promise<Verdict> {
  const { failures, newest } = await database.read(countFailures)
  if (newest === null) return ok('none failed within the hour')
  const time = await now()
  const locked = await database.read(async (tx) => {
    let count = 0
    for (const email of await failedEmails(tx)) {
      if ((await lockedUntil(tx, email, time)) !== undefined) count++
    }
    return count
  })
  const detail = `${failures} failed within the hour, the last at ${new Date(newest).toISOString()}`
  if (locked === 0) return ok(detail)
  return warn(`${counted(locked, 'e-mail address is', 'e-mail addresses are')} locked; ${detail}`)
}

function isHttps(url: string | undefined): boolean {
  return url?.startsWith('https:') ?? false
}
