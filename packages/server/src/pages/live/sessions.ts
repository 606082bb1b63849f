import { COMMENT, eventText } from './events.ts'

/** A stream as the session that it belongs to sees it. */
export interface SessionStream {
  send(text: string): void
  /** Ends it. */
  end(): void
  /** Called once in a while: the moment to read everything again. */
  onRefresh(): void
}

/** The open streams of a process, by session. */
export interface Sessions {
  /** Whether there is room for one more; otherwise the status that says so. */
  refusal(owner: Owner): 429 | 503 | undefined
  /** Adds a stream. The returned function removes it. */
  add(owner: Owner, stream: SessionStream): () => void
  /** Ends all of them without an event, so that their pages open them again elsewhere. */
  close(): void
  /** How many streams there are. */
  count(): number
}

/** Whose stream it is: a session, and its account. */
export interface Owner {
  token: string
  accountId: string
}

export interface SessionsOptions {
  reception: {
    /** Which of these sessions are active. */
    active(tokens: readonly string[]): Promise<ReadonlySet<string>>
    /** Calls `hear` with each session that is signed out in this process. */
    onSignOut(hear: (token: string) => void): void
  }
  /** How often ended sessions are looked for, wherever they were ended. One read asks for all of them. */
  checkMs?: number | undefined
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

/** A stream lasts as long as its session: a sign-out here ends it at once, any other end at the next check. */
export function createSessions({ reception, checkMs = CHECK_MS }: SessionsOptions): Sessions {
  const sessions = new Map<string, Session>()
  let closed = false
  let checks: NodeJS.Timeout | undefined
  let isChecking = false
  reception.onSignOut(end)

  function open({ token, accountId }: Owner): Session {
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
    sessions.set(token, session)
    checks ??= setInterval(() => void check(), checkMs)
    return session
  }

  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    const tokens = [...sessions.keys()]
    try {
      const active = await reception.active(tokens)
      for (const token of tokens) if (!active.has(token)) end(token)
    } catch {
      // The store can't say. It can't answer the streams' reads either, and the next check comes soon.
    }
    isChecking = false
  }

  function end(token: string): void {
    for (const stream of [...(sessions.get(token)?.streams ?? [])]) {
      stream.send(eventText('end', 'signed out'))
      stream.end()
    }
  }

  /** Of one account, or of all. */
  function count(accountId?: string): number {
    let streams = 0
    for (const session of sessions.values())
      if (accountId === undefined || session.accountId === accountId) streams += session.streams.size
    return streams
  }

  return {
    refusal({ token, accountId }) {
      const free = MOST_OF_A_PROCESS - count()
      if (closed || free <= 0) return 503
      const isFull = (sessions.get(token)?.streams.size ?? 0) >= MOST_OF_A_SESSION
      return isFull || count(accountId) >= free ? 429 : undefined
    },
    add(owner, stream) {
      const { token } = owner
      const session = sessions.get(token) ?? open(owner)
      session.streams.add(stream)
      return () => {
        session.streams.delete(stream)
        if (session.streams.size > 0) return
        session.stop()
        sessions.delete(token)
        if (sessions.size > 0) return
        clearInterval(checks)
        checks = undefined
      }
    },
    close() {
      closed = true
      for (const { streams } of [...sessions.values()]) for (const stream of [...streams]) stream.end()
    },
    count: () => count(),
  }
}
