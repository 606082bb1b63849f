import type { Watched } from '../../../kernel/process/metrics.ts'
import type { PageContext } from '../../../net/pages/reply.ts'
import { Sessions } from '../../live/sessions.ts'
import { Backlogs, COMMENT, eventText, STREAM_HEADERS, Stream, tooMany } from '../../live/stream.ts'
import type { DeskParts } from '../parts.ts'
import { sessionTokenOf } from './session.ts'

/** How a part of a page is kept up to date. It must be the same for every operator. */
export interface LiveSource {
  read(): Promise<string>
  /** How long to wait after reading before it is read again. */
  everyMs: number
}

const STREAMS: Watched = {
  name: 'wigwag_desk_streams',
  help: 'This process: pages of operators that are kept up to date.',
  labels: [],
}

/** The streams of all pages. */
export class Live {
  readonly #parts: DeskParts
  readonly #backlogs = new Backlogs()
  readonly #sessions: Sessions

  constructor(parts: DeskParts) {
    const { reception, live, stopping, metrics } = parts
    this.#parts = parts
    this.#sessions = new Sessions(reception, live?.checkMs)
    stopping.addEventListener('abort', () => this.#sessions.close())
    metrics.watch([STREAMS], async () => [{ name: STREAMS.name, labels: {}, value: this.#sessions.count() }])
  }

  partOf(source: LiveSource): LivePart {
    return new LivePart(source, this.#parts)
  }

  /** Opens the stream of a page that shows this part. */
  async open(part: LivePart, c: PageContext, operatorId: string): Promise<Response> {
    const token = sessionTokenOf(c.req.header('cookie'), this.#parts.url()) ?? ''
    const owner = { token, accountId: operatorId }
    const refusal = this.#sessions.refusal(owner)
    if (refusal) return tooMany(refusal)
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS })
    const stream = new Stream({
      onOver() {
        part.leave(stream)
        remove()
      },
      cut: () => c.env?.outgoing?.destroy(),
      backlog: (drop) => this.#backlogs.join(operatorId, drop),
    })
    const remove = this.#sessions.add(owner, {
      send: (text) => stream.send(text),
      end: () => stream.end(),
      onRefresh() {},
    })
    part.join(stream)
    return new Response(stream.body, { headers: STREAM_HEADERS })
  }
}

/** A part is read once for all pages that show it, and not at all while nobody looks. */
class LivePart {
  readonly #source: LiveSource
  readonly #parts: Pick<DeskParts, 'clock' | 'onFault'>
  readonly #streams = new Set<Stream>()
  #shown = ''
  #isRunning = false
  #cancel = () => {}

  constructor(source: LiveSource, parts: Pick<DeskParts, 'clock' | 'onFault' | 'stopping'>) {
    this.#source = source
    this.#parts = parts
    parts.stopping.addEventListener('abort', () => this.#cancel())
  }

  join(stream: Stream): void {
    stream.send(this.#shown === '' ? COMMENT : eventText('part', this.#shown))
    this.#streams.add(stream)
    if (!this.#isRunning) void this.#run()
  }

  leave(stream: Stream): void {
    this.#streams.delete(stream)
  }

  async #run(): Promise<void> {
    const { clock, onFault } = this.#parts
    this.#isRunning = true
    while (this.#streams.size > 0) {
      try {
        const text = await this.#source.read()
        if (text !== this.#shown) {
          this.#shown = text
          for (const stream of this.#streams) stream.send(eventText('part', text))
        }
      } catch (error) {
        onFault(error)
      }
      await new Promise<void>((resolve) => {
        this.#cancel = clock.after(this.#source.everyMs, resolve)
      })
    }
    this.#isRunning = false
    this.#shown = ''
  }
}
