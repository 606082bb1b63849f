import type { BulkSmsMessage, Client, ManyOptions } from '@wigwag/sdk'
import { commandProcess } from '../command-process.ts'
import { startProgress } from '../progress-bar.ts'
import { say } from '../terminal.ts'
import type { BulkRow } from './list.ts'
import type { Report } from './report.ts'

export type BulkMessage = Omit<BulkSmsMessage, 'Recipients'>

const STOPPING = ['SIGINT', 'SIGTERM'] as const

/** What a run has done. */
export interface Run extends Pick<Report, 'accepted' | 'refused' | 'uncertain' | 'skipped' | 'outcomes'> {
  /** A person or the system asked it to stop. */
  stopped: boolean
  /** What else ended it before the end of the list. */
  error: unknown
}

/** Sent to no one, because the run was to stop. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Sends to a list, with a progress bar. The first Ctrl-C lets the requests that are under way end, so that it is known
 * who got the message; the second one ends those too.
 */
export async function runBulk(
  client: Client,
  message: BulkMessage,
  rows: readonly BulkRow[],
  options: Pick<ManyOptions, 'idempotencyKey' | 'dedupe' | 'partSize'>,
): Promise<Run> {
  const progress = startProgress(rows.length)
  const cut = new AbortController()
  let stopped = false
  const stop = () => {
    if (stopped) return cut.abort()
    stopped = true
    progress.stop()
    say('Stopping; what is under way is waited for. Ctrl-C again stops that too.')
  }
  const running = commandProcess()
  for (const signal of STOPPING) running.on(signal, stop)
  try {
    const report = await client.sendToMany(message, rows, {
      ...options,
      signal: cut.signal,
      onProgress({ accepted, refused, uncertain, skipped }) {
        if (stopped) throw new Stopped()
        progress.update(accepted + refused + uncertain + skipped)
      },
    })
    return { ...report, stopped }
  } catch (error) {
    if (!stopped) throw error
    // Nothing has a result yet.
    return { accepted: 0, refused: 0, uncertain: 0, skipped: 0, outcomes: [], stopped, error }
  } finally {
    progress.stop()
    for (const signal of STOPPING) running.off(signal, stop)
  }
}
