import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { verifyPassword } from './password.ts'

/** What a thread is asked. */
export interface Verification {
  password: string
  stored: string
}

/** Beside this file as it is written, and as it is built. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './verify.thread.ts' : './verify.thread.js',
  import.meta.url,
)

/**
 * Verifies passwords in threads of low priority: in the runtime's own pool, two of them would take half of a machine
 * with two processors from the requests that are under way. A thread is started when none is free, and kept.
 */
export function createVerifyAside(): typeof verifyPassword {
  const free: Worker[] = []

  return async function verifyAside(password, stored) {
    const thread = free.pop() ?? new Worker(THREAD)
    const verification: Verification = { password, stored }
    thread.ref()
    thread.postMessage(verification)
    // Rejects when the thread fails, which ends it.
    const [fits] = await once(thread, 'message')
    thread.unref()
    free.push(thread)
    return fits === true
  }
}
