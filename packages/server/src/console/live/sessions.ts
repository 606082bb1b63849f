import type { Person, Portal } from '../../portal/index.ts'
import { COMMENT, eventText } from './events.ts'

/** A stream as the session that it belongs to sees it. */
export interface SessionStream {
  send(text: string): void
  /** Ends it. */
  end(): void
  /** Called when the session was found to be active: a moment to look at everything again. */
  onChecked(): void
}

/** The open streams of a process, by session. */
export interface Sessions {
  /** Whether there is room for one more; otherwise the status that says so. */
  refusal(token: string): 429 | 503 | undefined
  /** Adds a stream. The returned function removes it. */
  add(token: string, stream: SessionStream): () => void
  /** Ends all of them without a word, so that their pages open them again elsewhere. */
  close(): void
  /** How many streams there are. */
  count(): number
}

export interface SessionsOptions {
  portal: Pick<Portal, 'who' | 'onSignOut'>
  /** How often each session is checked. */
  checkMs: number
}

/** Each tab has one. */
const MOST_OF_A_SESSION = 20
const MOST_OF_A_PROCESS = 500
/** Proxies close what is quiet for longer. */
const COMMENT_MS = 15_000

interface Session {
  streams: Set<SessionStream>
  /** Stops everything that runs for it. */
  stop(): void
}

/** A stream lasts as long as its session: a sign-out here ends it at once, any other end at the next check. */
export function createSessions({ portal, checkMs }: SessionsOptions): Sessions {
  const sessions = new Map<string, Session>()
  let closed = false
  portal.onSignOut(end)

  function open(token: string): Session {
    const streams = new Set<SessionStream>()
    const comments = setInterval(() => {
      for (const stream of streams) stream.send(COMMENT)
    }, COMMENT_MS)
    const checks = setInterval(() => void check(token, streams), checkMs)
    const stop = () => {
      clearInterval(comments)
      clearInterval(checks)
    }
    const session = { streams, stop }
    sessions.set(token, session)
    return session
  }

  async function check(token: string, streams: ReadonlySet<SessionStream>): Promise<void> {
    let person: Person | undefined
    try {
      person = await portal.who(token)
    } catch {
      // The store can't say. It can't answer the streams' reads either, and the next check comes soon.
      return
    }
    if (!person) return end(token)
    for (const stream of streams) stream.onChecked()
  }

  function end(token: string): void {
    for (const stream of [...(sessions.get(token)?.streams ?? [])]) {
      stream.send(eventText('end', 'signed out'))
      stream.end()
    }
  }

  function count(): number {
    let streams = 0
    for (const session of sessions.values()) streams += session.streams.size
    return streams
  }

  return {
    refusal(token) {
      if (closed || count() >= MOST_OF_A_PROCESS) return 503
      return (sessions.get(token)?.streams.size ?? 0) >= MOST_OF_A_SESSION ? 429 : undefined
    },
    add(token, stream) {
      const session = sessions.get(token) ?? open(token)
      session.streams.add(stream)
      return () => {
        session.streams.delete(stream)
        if (session.streams.size > 0) return
        session.stop()
        sessions.delete(token)
      }
    },
    close() {
      closed = true
      for (const { streams } of [...sessions.values()]) for (const stream of [...streams]) stream.end()
    },
    count,
  }
}
