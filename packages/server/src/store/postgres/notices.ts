import type pg from 'pg'
import { backoff } from '../../kernel/time/spans.ts'
import type { Database, Notices } from '../database.ts'
import type { Hosts } from './hosts.ts'

const CHANNEL = 'wigwag_notes'
/** Held, shared, by every process that listens. `wigwag` in ASCII. */
const LISTENERS = 0x776967776167
/** PostgreSQL refuses payloads of 8,000 bytes. */
const LARGEST_PAYLOAD = 7_900
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Notes by NOTIFY, in statements of their own: inside a transaction that does work, it would serialise the commits. */
export class PostgresNotices implements Notices {
  readonly #hosts: Hosts
  readonly #connection: pg.ClientConfig
  readonly #database: Pick<Database, 'write'>
  readonly #onIdleError: (error: Error) => void
  /** The server process of the connection that listens, by which this process knows its own notes. */
  #ownPid = 0

  /** `onIdleError` is called when the connection that listens is lost. It is opened again. */
  constructor(
    hosts: Hosts,
    connection: pg.ClientConfig,
    database: Pick<Database, 'write'>,
    onIdleError: (error: Error) => void,
  ) {
    this.#hosts = hosts
    this.#connection = connection
    this.#database = database
    this.#onIdleError = onIdleError
  }

  async send(words: readonly string[]): Promise<void> {
    const payloads = JSON.stringify(payloadsOf(String(this.#ownPid), words))
    await this.#database.write(({ run }) => run(SEND, [LISTENERS, CHANNEL, payloads]), { single: true })
  }

  listen(hear: (words: readonly string[]) => void, onGap: () => void): () => void {
    const hosts = this.#hosts
    let client: pg.Client | undefined
    let failures = 0
    let again: NodeJS.Timeout | undefined
    let stopped = false
    const onReady = () => {
      failures = 0
      onGap()
    }
    const onLost = (error: Error) => {
      if (!stopped) this.#onIdleError(error)
    }
    const open = async (): Promise<void> => {
      const opened = new hosts.Client(this.#connection)
      client = opened
      const stop = hosts.onMoved((isElsewhere) => {
        // A server that vanished closes nothing, and needs no farewell.
        if (isElsewhere(opened)) opened.connection.stream.destroy()
      })
      await this.#hearOn(opened, { hear, onReady, onLost }).catch((error: Error) => {
        hosts.failed(opened)
        onLost(error)
      })
      stop()
      await opened.end().catch(() => undefined)
      if (stopped) return
      failures += 1
      again = setTimeout(open, backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS))
    }
    void open()
    return () => {
      stopped = true
      clearTimeout(again)
      void client?.end().catch(() => undefined)
    }
  }

  /** Opens the connection that listens. Resolves when it has ended. */
  async #hearOn(client: pg.Client, listening: Listening): Promise<void> {
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', listening.onLost)
    client.on('notification', ({ payload = '' }) => {
      const [from, ...words] = payload.split(' ')
      if (this.#ownPid === 0 || Number(from) !== this.#ownPid) listening.hear(words)
    })
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pg_backend_pid() AS pid, pg_advisory_lock_shared($1)',
      [LISTENERS],
    )
    await client.query(`LISTEN ${CHANNEL}`)
    const pid = rows[0]?.pid ?? 0
    this.#ownPid = pid
    listening.onReady()
    await ended
    // A connection that ends late must not hide the one that was opened after it.
    if (this.#ownPid === pid) this.#ownPid = 0
  }
}

interface Listening {
  hear(words: readonly string[]): void
  onReady(): void
  onLost(error: Error): void
}

/** As few payloads as their size permits, each led by the process that they come from. */
export function payloadsOf(from: string, words: readonly string[]): string[] {
  const payloads: string[] = []
  let payload = from
  for (const word of words) {
    if (payload.length + 1 + word.length > LARGEST_PAYLOAD) {
      payloads.push(payload)
      payload = from
    }
    payload += ` ${word}`
  }
  return [...payloads, payload]
}

/** Where no process holds the lock of listeners, this can take it, and then there is no one to notify. */
const SEND = `WITH alone AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($1) AS yes)
  SELECT pg_notify($2, payload) FROM alone, json_array_elements_text($3) AS payload WHERE NOT alone.yes`
