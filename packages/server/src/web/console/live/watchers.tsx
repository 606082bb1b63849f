import type { RefusedRequest } from '../../../accounts/index.ts'
import type { Changes } from '../../../flow/changes.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { type Markup, render } from '../../../net/pages/markup.ts'
import type { RefusedRequests } from '../../../sandbox/index.ts'
import { Pump, type PumpTime } from './pump.ts'
import { eventText, type Reader, type Reads, type Showing, type Watched, Watcher } from './watcher.ts'

/** One watcher for all streams that show the same. */
export class Watchers {
  readonly #parts: ConstructorParameters<typeof Watchers>[0]
  readonly #open = new Map<string, { watcher: Watcher; close(): void }>()
  readonly #pump: Pump

  constructor(parts: {
    reads: Reads
    changes: Pick<Changes, 'listen'>
    /** In a sandbox. */
    refused: Pick<RefusedRequests, 'listen'> | undefined
    now(): EpochMs
    /** As for the pump. */
    time?: PumpTime | undefined
    onFault(error: unknown): void
  }) {
    this.#parts = parts
    this.#pump = new Pump(parts)
  }

  /** How many there are. */
  count(): number {
    return this.#open.size
  }

  /** Tells a reader what a filter of a wallet matches. Look again and leave when the page is closed. */
  join(reader: Reader, watched: Watched, showing: Showing): { poll(): void; leave(): void } {
    const { wallet, withoutTexts } = watched.principal
    const key = `${wallet.id} ${withoutTexts === true} ${watched.q}`
    const { watcher, close } = this.#open.get(key) ?? this.#openOne(key, watched)
    watcher.join(reader, showing)
    this.#pump.tell(watcher)
    return {
      poll: () => this.#pump.tell(watcher),
      leave() {
        watcher.leave(reader)
        if (!watcher.isWatched()) close()
      },
    }
  }

  #openOne(key: string, watched: Watched): { watcher: Watcher; close(): void } {
    const { reads, changes, refused, now } = this.#parts
    const { accountId, wallet, withoutTexts } = watched.principal
    const watcher = new Watcher(reads, watched, now)
    const unlisten = changes.listen(wallet.id, () => this.#pump.tell(watcher))
    // Why a request was refused may quote it.
    const heard = withoutTexts ? undefined : refused
    const ignore = heard?.listen(accountId, (request) =>
      watcher.send(eventText('refused', render(refusedNote(request)))),
    )
    const close = () => {
      this.#open.delete(key)
      this.#pump.drop(watcher)
      unlisten()
      ignore?.()
    }
    const opened = { watcher, close }
    this.#open.set(key, opened)
    return opened
  }
}

/** Why a request was refused, for a page that waits for its message. */
function refusedNote({ status, code, detail, requestId }: RefusedRequest): Markup {
  return (
    <div class="note bad" role="status">
      <p>
        <span class="strong">
          A request was refused just now: {status} {code}.
        </span>{' '}
        {detail} <span class="mono soft">{requestId}</span>
      </p>
    </div>
  )
}
