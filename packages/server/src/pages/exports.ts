/** The files that accounts are downloading from this process. */
export interface Exports {
  /** Begins one: returns the file, which ends with its last byte; undefined while another of the account is being read. */
  begin(accountId: string, make: () => Promise<Response>): Promise<Response | undefined>
}

/** One that was not read on for so long is given up for the next. */
const LONGEST_PAUSE_MS = 30_000

interface Running {
  /** When it was last read on. */
  movedAt: number
  /** Breaks it off. */
  stop(): void
}

/** Each account downloads one file at a time: a file of everything takes long, and many at once would saturate a process. */
export function createExports(now: () => number = () => performance.now()): Exports {
  const running = new Map<string, Running>()

  return {
    async begin(accountId, make) {
      const before = running.get(accountId)
      if (before && now() - before.movedAt < LONGEST_PAUSE_MS) return undefined
      before?.stop()
      const mine: Running = { movedAt: now(), stop: () => {} }
      running.set(accountId, mine)
      const release = () => {
        if (running.get(accountId) === mine) running.delete(accountId)
      }
      try {
        const reply = await make()
        if (!reply.body) {
          release()
          return reply
        }
        return new Response(read(reply.body, mine, release), reply)
      } catch (error) {
        release()
        throw error
      }
    },
  }

  function read(
    body: ReadableStream<Uint8Array>,
    mine: Running,
    release: () => void,
  ): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          mine.stop = () => {
            controller.error(new Error('another file was asked for, and this one was not read on'))
            void reader.cancel()
          }
        },
        async pull(controller) {
          mine.movedAt = now()
          try {
            const { done, value } = await reader.read()
            if (!done) return controller.enqueue(value)
            release()
            controller.close()
          } catch (error) {
            release()
            throw error
          }
        },
        async cancel(reason) {
          release()
          await reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }
}
