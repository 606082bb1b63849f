import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { verifyPassword } from './password-hash.ts'

/** The message to a thread. */
export interface Verification {
  password: string
  stored: string
}

/** Next to this file, both in the source and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './verify.thread.ts' : './verify.thread.js',
  import.meta.url,
)

/** Of the process, whichever of its gateways started them. */
const free: Worker[] = []

/**
 * Verifies a password in a thread of low priority: in Node's own thread pool, it would take processor time from requests
 * that are under way. A thread is started when none is free, and kept.
 */
export const verifyAside: typeof verifyPassword = async (password, stored) => {
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
