/** Verifies passwords, one after the other, behind everything else that the machine has to do. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { verifyPasswordHere } from './password.ts'
import type { Verification } from './verify-aside.ts'

/** About a tenth of a processor that others want too, and all of one that nobody wants. */
const NICE = 10

stepBack()
parentPort?.on('message', ({ password, stored }: Verification) => {
  parentPort?.postMessage(verifyPasswordHere(password, stored))
})

/** On Linux a thread has a priority of its own. Elsewhere it keeps that of the process. */
function stepBack(): void {
  try {
    const [thread] = /\d+$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), NICE)
  } catch {
    // It is only slower for the others.
  }
}
