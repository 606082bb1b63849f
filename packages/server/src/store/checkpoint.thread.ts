/** Moves pages from the log of a database to its file, whenever it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openClient } from './sqlite-connection.ts'

const client = openClient(String(workerData), { readonly: false, lockWaitMs: 5_000 })
parentPort?.on('message', () => client.pragma('wal_checkpoint(PASSIVE)'))
