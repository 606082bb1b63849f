import { COMMENT, eventText } from './stream.ts'

/** A stream as the session that it belongs to sees it. */
export interface SessionStream {
  send(text: string): void
  /** Ends it. */
  end(): void
  /** Called once in a while: the moment to read everything again. */
  onRefresh(): void
}

/** Whose stream it is: a session, and its account. */
export interface Owner {
  token: string
  accountId: string
}

const CHECK_MS = 1_000
/** How often a page reads everything again, in case a notice was lost. */
const REFRESH_MS = 30_000

/** Each tab has one. */
const MOST_OF_A_SESSION = 20
/** An account gets one more while it has fewer than are free: alone it has half of these, and some are always left. */
const MOST_OF_A_PROCESS = 500
/** Proxies close what is quiet for longer. */
const COMMENT_MS = 15_000

interface Session {
  accountId: string
  streams: Set<SessionStream>
  /** Stops everything that runs for it. */
  stop(): void
}

interface Reception {
  /** Which of these sessions are active. */
  active(tokens: readonly string[]): Promise<ReadonlySet<string>>
  /** Calls `hear` with each session that is signed out in this process. */
  onSignOut(hear: (token: string) => void): void
}

/**
 * The open streams of a process, by session. A stream lasts as long as its session: a sign-out here ends it at once, any
 * other end at the next check.
 */
export class Sessions {
  readonly #reception: Reception
  readonly #checkMs: number
  readonly #sessions = new Map<string, Session>()
  #closed = false
  #checks: NodeJS.Timeout | undefined
  #isChecking = false

  /** With how often ended sessions are looked for, wherever they were ended. One read asks for all of them. */
  constructor(reception: Reception, checkMs = CHECK_MS) {
    this.#reception = reception
    this.#checkMs = checkMs
    reception.onSignOut((token) => this.#end(token))
  }

  /** Whether there is room for one more; otherwise the status that says so. */
  refusal({ token, accountId }: Owner): 429 | 503 | undefined {
    const free = MOST_OF_A_PROCESS - this.count()
    if (this.#closed || free <= 0) return 503
    const isFull = (this.#sessions.get(token)?.streams.size ?? 0) >= MOST_OF_A_SESSION
    return isFull || this.#countOf(accountId) >= free ? 429 : undefined
  }

  /** Adds a stream. The returned function removes it. */
  add(owner: Owner, stream: SessionStream): () => void {
    const { token } = owner
    const session = this.#sessions.get(token) ?? this.#open(owner)
    session.streams.add(stream)
    return () => {
      session.streams.delete(stream)
      if (session.streams.size > 0) return
      session.stop()
      this.#sessions.delete(token)
      if (this.#sessions.size > 0) return
      clearInterval(this.#checks)
      this.#checks = undefined
    }
  }

  /** Ends all of them without an event, so that their pages open them again elsewhere. */
  close(): void {
    this.#closed = true
    for (const { streams } of [...this.#sessions.values()]) for (const stream of [...streams]) stream.end()
  }

  /** How many streams there are. */
  count(): number {
    let streams = 0
    for (const session of this.#sessions.values()) streams += session.streams.size
    return streams
  }

  #countOf(accountId: string): number {
    let streams = 0
    for (const session of this.#sessions.values())
      if (session.accountId === accountId) streams += session.streams.size
    return streams
  }

  #open({ token, accountId }: Owner): Session {
    const streams = new Set<SessionStream>()
    const comments = setInterval(() => {
      for (const stream of streams) stream.send(COMMENT)
    }, COMMENT_MS)
    const refreshes = setInterval(() => {
      for (const stream of streams) stream.onRefresh()
    }, REFRESH_MS)
    const stop = () => {
      clearInterval(comments)
      clearInterval(refreshes)
    }
    const session = { accountId, streams, stop }
    this.#sessions.set(token, session)
    this.#checks ??= setInterval(() => void this.#check(), this.#checkMs)
    return session
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    const tokens = [...this.#sessions.keys()]
    try {
      const active = await this.#reception.active(tokens)
      for (const token of tokens) if (!active.has(token)) this.#end(token)
    } catch {
      // The store can't say. It can't answer the streams' reads either, and the next check comes soon.
    }
    this.#isChecking = false
  }

  #end(token: string): void {
    for (const stream of [...(this.#sessions.get(token)?.streams ?? [])]) {
      stream.send(eventText('end', 'signed out'))
      stream.end()
    }
  }
}
