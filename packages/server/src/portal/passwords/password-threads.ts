import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The message to a thread: a password to hash, or one to compare with what is stored. */
export type PasswordWork = { hash: string } | { verify: string; stored: string }

/** Whether a password matches a stored one. */
export type VerifyPassword = (password: string, stored: string) => Promise<boolean>

/** What is to be stored of a password. */
export type HashPassword = (password: string) => Promise<string>

/** Next to this file, both in the source and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './password.thread.ts' : './password.thread.js',
  import.meta.url,
)

/** Of the process, whichever of its gateways started them. */
const free: Worker[] = []

export const verifyAside: VerifyPassword = async (verify, stored) =>
  (await inThread({ verify, stored })) === true

export const hashAside: HashPassword = async (password) => String(await inThread({ hash: password }))

/**
 * Works in a thread of low priority. In Node's own thread pool, it would take processor time from requests that are
 * under way, and pages that are compressed and hosts that are looked up would wait for it. A thread is started when none
 * is free, and kept.
 */
async function inThread(work: PasswordWork): Promise<unknown> {
  const thread = free.pop() ?? new Worker(THREAD)
  thread.ref()
  thread.postMessage(work)
  // Rejects when the thread fails, which ends it.
  const [result] = await once(thread, 'message')
  thread.unref()
  free.push(thread)
  return result
}
