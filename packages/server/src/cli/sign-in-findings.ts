import { systemClock } from '../clock.ts'
import { undeclaredProxy } from '../compose/undeclared-proxy.ts'
import type { Config } from '../config.ts'
import { lockedUntil } from '../gateway/sign-in-limits.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { listKeys } from '../store/oauth-keys.ts'
import { countFailures, countRegistrations, failedEmails } from '../store/sign-in-check.ts'
import { ok, type Verdict, warn } from './finding.ts'

const A_DAY = 86_400_000

/** That they open is what the check of the secret says. */
export async function checkKeys(database: ReadOnlyDatabase): Promise<Verdict> {
  const keys = (await database.read(listKeys)).filter(({ purpose }) => purpose === 'sign')
  const [newest] = keys
  if (!newest) return ok('none yet: the gateway makes them when the first assistant comes')
  const days = Math.floor((systemClock.now() - newest.createdAt) / A_DAY)
  return ok(`${keys.length} to sign with, the newest ${days} days old`)
}

export async function checkAddress(_: ReadOnlyDatabase, config: Config): Promise<Verdict> {
  const { publicUrl, environment } = config
  const production = environment === 'production'
  if (publicUrl === undefined) {
    return production
      ? warn('WIGWAG_PUBLIC_URL is not set, so no one can sign in')
      : ok('where the gateway listens: WIGWAG_PUBLIC_URL is not set')
  }
  if (production && !isHttps(publicUrl)) return warn(`${publicUrl} is reached from this machine alone`)
  return ok(publicUrl)
}

export async function checkProxies(_: ReadOnlyDatabase, config: Config): Promise<Verdict> {
  const warning = undeclaredProxy(config)
  return warning === undefined ? ok(config.trustedProxies.join(', ') || 'none') : warn(warning)
}

export async function checkRegistrations(database: ReadOnlyDatabase): Promise<Verdict> {
  const { registered, unused } = await database.read(countRegistrations)
  return ok(`${registered} clients registered themselves, ${unused} of them unused`)
}

export async function checkAttempts(database: ReadOnlyDatabase): Promise<Verdict> {
  const { failures, newest } = await database.read(countFailures)
  if (newest === null) return ok('none failed within the hour')
  const locked = await database.read(async (connection) => {
    let count = 0
    for (const email of await failedEmails(connection)) {
      if ((await lockedUntil(connection, email, systemClock.now())) !== undefined) count++
    }
    return count
  })
  const detail = `${failures} failed within the hour, the last at ${new Date(newest).toISOString()}`
  if (locked === 0) return ok(detail)
  return warn(`${locked} e-mail addresses are locked; ${detail}`)
}

function isHttps(url: string | undefined): boolean {
  return url?.startsWith('https:') ?? false
}
