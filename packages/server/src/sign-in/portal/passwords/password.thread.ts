/** Hashes and verifies passwords one after the other, at a low priority. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashPasswordHere, verifyPasswordHere } from './password-hash.ts'
import type { PasswordWork } from './password-queue.ts'

/** About a tenth of a processor under load, and all of an idle one. */
const NICE = 10

stepBack()
parentPort?.on('message', (work: PasswordWork) => {
  parentPort?.postMessage(
    'hash' in work ? hashPasswordHere(work.hash) : verifyPasswordHere(work.verify, work.stored),
  )
})

/** Lowers this thread's priority. Works only on Linux, where each thread has one. */
function stepBack(): void {
  try {
    const [thread] = /\d+$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), NICE)
  } catch {
    // Without it, passwords only slow down other work more.
  }
}
