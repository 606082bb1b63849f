/** Verifies passwords one after the other, at a low priority. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { verifyPasswordHere } from './password-hash.ts'
import type { Verification } from './verify-aside.ts'

/** About a tenth of a processor under load, and all of an idle one. */
const NICE = 10

stepBack()
parentPort?.on('message', ({ password, stored }: Verification) => {
  parentPort?.postMessage(verifyPasswordHere(password, stored))
})

/** Lowers this thread's priority. Works only on Linux, where each thread has one. */
function stepBack(): void {
  try {
    const [thread] = /\d+$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), NICE)
  } catch {
    // Without it, password checks only slow down other work more.
  }
}
