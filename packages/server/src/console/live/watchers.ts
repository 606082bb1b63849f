import type { EpochMs } from '../../domain/ids.ts'
import type { Changes } from '../../platform/changes.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { RefusedRequests } from '../../sandbox/index.ts'
import { eventText, refusedNote } from './events.ts'
import { createPump, type PumpOptions } from './pump.ts'
import type { Reads } from './read.ts'
import { createWatcher, type Reader, type Showing, type Watcher } from './watcher.ts'

/** One watcher for all streams that show the same. */
export interface Watchers {
  /** Tells a reader what a filter of a wallet matches. Look again and leave when the page is closed. */
  join(reader: Reader, watched: Watched, showing: Showing): { poll(): void; leave(): void }
  /** How many there are. */
  count(): number
}

export interface Watched {
  principal: WalletPrincipal
  q: string
}

export interface WatchersOptions {
  reads: Reads
  changes: Pick<Changes, 'listen'>
  /** In a sandbox. */
  refused: Pick<RefusedRequests, 'listen'> | undefined
  now(): EpochMs
  /** As for the pump. */
  time?: PumpOptions['time']
  onFault(error: unknown): void
}

interface Open {
  watcher: Watcher
  close(): void
}

export function createWatchers(options: WatchersOptions): Watchers {
  const { reads, changes, refused, now, time, onFault } = options
  const open = new Map<string, Open>()
  const pump = createPump({ onFault, time })

  function openOne(key: string, { principal, q }: Watched): Open {
    const watcher = createWatcher({ reads, principal, q, now })
    const unlisten = changes.listen(principal.wallet.id, () => pump.tell(watcher))
    const ignore = refused?.listen(principal.accountId, (request) =>
      watcher.send(eventText('refused', refusedNote(request).toString())),
    )
    const close = () => {
      open.delete(key)
      pump.drop(watcher)
      unlisten()
      ignore?.()
    }
    const opened = { watcher, close }
    open.set(key, opened)
    return opened
  }

  return {
    count: () => open.size,
    join(reader, watched, showing) {
      const key = `${watched.principal.wallet.id} ${watched.q}`
      const { watcher, close } = open.get(key) ?? openOne(key, watched)
      watcher.join(reader, showing)
      pump.tell(watcher)
      return {
        poll: () => pump.tell(watcher),
        leave() {
          watcher.leave(reader)
          if (!watcher.isWatched()) close()
        },
      }
    },
  }
}
