import type { PasswordQueue } from './password-queue.ts'
import { type HashPassword, hashAside } from './password-threads.ts'

/** Too many passwords wait already, or another one is being set for the same person or by the same link. */
export interface Busy {
  kind: 'busy'
}

/**
 * Hashes passwords that are about to be set, in the queue of those that are checked: one at a time for a person and for
 * a link, so that nobody fills it alone.
 */
export class NewPasswords {
  readonly #queued: PasswordQueue
  readonly #hash: HashPassword
  /** Persons and links for which one is being set. */
  readonly #underWay = new Set<string>()

  constructor(queued: PasswordQueue, hash: HashPassword = hashAside) {
    this.#queued = queued
    this.#hash = hash
  }

  /** Runs work that sets a password, for a person or by a link. It hashes once it knows that the password may be set. */
  async set<T>(
    whose: string,
    password: string,
    work: (hashed: () => Promise<string>) => Promise<T>,
  ): Promise<T | Busy> {
    if (this.#underWay.has(whose)) return { kind: 'busy' }
    this.#underWay.add(whose)
    try {
      return await work(() => this.#hashed(password))
    } catch (error) {
      if (error instanceof QueueIsFull) return { kind: 'busy' }
      throw error
    } finally {
      this.#underWay.delete(whose)
    }
  }

  async #hashed(password: string): Promise<string> {
    const hash = await this.#queued(() => this.#hash(password))
    if (hash === undefined) throw new QueueIsFull()
    return hash
  }
}

/** Ends the work. */
class QueueIsFull extends Error {}
