import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SignInResult } from '../../src/sign-in/portal/portal.ts'

const PROGRAM = fileURLToPath(new URL('./guesses.process.ts', import.meta.url))

export interface Guesses {
  /** The database. */
  url: string
  email: string
  password: string
  /** How many at once. */
  times: number
}

/** Signs in at a portal in another process, all at once. */
export async function signInElsewhere(guesses: Guesses): Promise<SignInResult[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(guesses)])
  return JSON.parse(stdout) as SignInResult[]
}

/** How often each kind of answer came. */
export function kindsOf(results: readonly SignInResult[]): Partial<Record<SignInResult['kind'], number>> {
  const counts: Partial<Record<SignInResult['kind'], number>> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
