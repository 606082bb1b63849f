/** Checkpoints a database on request: moves pages from the write-ahead log to the file. */
import { parentPort, workerData } from 'node:worker_threads'
import { openClient } from './connection.ts'

const client = openClient(String(workerData), { readonly: false, lockWaitMs: 5_000 })
parentPort?.on('message', () => client.pragma('wal_checkpoint(PASSIVE)'))
