import { hash } from 'node:crypto'

/**
 * The stored hash of a secret or token. One round of a fast hash is enough, because they are long and random and cannot
 * be guessed.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
