import type { BenchDatabase } from '../rig/database.ts'
import { BODY } from '../rig/gateways.ts'
import type { LoadResult } from '../rig/load.ts'
import { loadOk } from '../rig/processes.ts'
import type { Usage } from '../rig/usage.ts'

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
