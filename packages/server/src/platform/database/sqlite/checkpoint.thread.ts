/** Checkpoints a database on request: moves pages from the write-ahead log to the file. Answers with each failure. */
import { parentPort, workerData } from 'node:worker_threads'
import type { FailedCheckpoint } from './checkpoints.ts'
import { codeOf, openClient } from './connection.ts'

const client = openClient(String(workerData), { readonly: false, lockWaitMs: 5_000 })
parentPort?.on('message', () => {
  try {
    client.pragma('wal_checkpoint(PASSIVE)')
  } catch (error) {
    parentPort?.postMessage({ code: codeOf(error), message: String(error) } satisfies FailedCheckpoint)
  }
})
