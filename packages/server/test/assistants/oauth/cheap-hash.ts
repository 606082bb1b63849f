import { randomBytes, scryptSync } from 'node:crypto'
import { NOBODYS_PASSWORD } from '../../../src/sign-in/portal/passwords/password-hash.ts'
import { verifyAside } from '../../../src/sign-in/portal/passwords/password-queue.ts'

/** A password as the store has it, at a cost that a test can pay many times: the hash says its cost. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16)
  const hash = scryptSync(password.normalize('NFKC'), salt, 32, { N: 16, r: 8, p: 1 })
  return ['scrypt', 16, 8, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Compares a password as a gateway does. Where there is no such person, it answers at once, and takes no time to hide that. */
export async function cheapCheck(password: string, stored: string): Promise<boolean> {
  return stored !== NOBODYS_PASSWORD && (await verifyAside(password, stored))
}
