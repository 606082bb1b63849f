/** Checkpoints a database on request: moves pages from the write-ahead log to the file. Answers with what is left of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { type CheckpointAnswer, checkpoint } from './checkpoints.ts'
import { codeOf, openClient } from './connection.ts'

const client = openClient(String(workerData), { readonly: false, lockWaitMs: 5_000 })
parentPort?.on('message', () => parentPort?.postMessage(answer()))

function answer(): CheckpointAnswer {
  try {
    return checkpoint(client)
  } catch (error) {
    return { code: codeOf(error), message: String(error) }
  }
}
