import type { BenchDatabase } from '../database.ts'
import type { LoadResult } from '../load.ts'
import { loadOk } from '../processes.ts'
import { BODY } from '../subjects.ts'
import type { Usage } from '../usage.ts'

/** Something beside Wigwag that answers sends. */
export interface Rival {
  name: string
  /** Whether it does more for what it accepted after it has answered. */
  keeps: boolean
  usage: Usage
  /** Where it keeps what it needs, if that is a program of its own. */
  database?: BenchDatabase | undefined
  /** How many callbacks its receiver has got, if it posts any. */
  told?(): Promise<number>
  load(connections: number, seconds: number): Promise<LoadResult>
  stop(): Promise<void>
}

/** Sends as the document has them, of a caller that need not exist. */
export function loadDocumented(port: number, connections: number, seconds: number): Promise<LoadResult> {
  const callers = [{ authorization: `Basic ${btoa('bench:bench')}`, 'x-wallet': 'Token bench' }]
  return loadOk({ port, connections, seconds, path: '/v1/messages/sms', callers, body: BODY })
}
