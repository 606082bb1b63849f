import type { Events } from '../../callbacks/events/index.ts'
import type { Config } from '../../config/config.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { plainWords } from '../../kernel/text/words.ts'
import type { Mails } from '../../mail/index.ts'
import { readTroubles, type Trouble } from '../troubles/index.ts'
import { mailsOf } from './mails.ts'
import { type AlertRow, isNothing, type NextAlerts, nextAlerts, type Seen } from './next.ts'
import { alertRows, holdLook, lastLook, storeAlerts, takeLook } from './rows.ts'

/** So many wallets are told of one by one. */
const MOST_WALLETS = 200
const LONGEST_TEXT = 1_000
/** Its event is `wallet.low`, which tells more of it. */
const TOLD_ELSEWHERE = 'wallet:'

interface Own {
  config: Config
  everyMs: number
  events: Pick<Events, 'tellAlerts' | 'notify'>
  mails: Pick<Mails, 'queue' | 'notify'>
  /** The operators' pages, for mails; undefined where there are none. */
  deskUrl(): string | undefined
  onFault(error: unknown): void
}

/**
 * Looks for troubles, notes since when each is there, and tells of it. The note and what is told are one transaction, so
 * each is told once, however many gateways there are and wherever one is killed. One gateway looks at a time.
 */
export class AlertWatch {
  readonly #parts: Pick<Parts, 'database' | 'clock' | 'newId'>
  readonly #own: Own
  #stopped = true
  #looking: Promise<void> | undefined
  #cancel = () => {}

  constructor(parts: Pick<Parts, 'database' | 'clock' | 'newId'>, own: Own) {
    this.#parts = parts
    this.#own = own
  }

  start(): void {
    this.#stopped = false
    this.#lookLater()
  }

  /** Whether it waits for its next look, or has been stopped. */
  idle(): boolean {
    return this.#looking === undefined
  }

  /** Resolves when the look under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#looking
  }

  #lookLater(): void {
    this.#cancel = this.#parts.clock.after(this.#own.everyMs, () => {
      this.#looking = this.#look()
        .catch(this.#own.onFault)
        .finally(() => {
          this.#looking = undefined
          if (!this.#stopped) this.#lookLater()
        })
    })
  }

  async #look(): Promise<void> {
    const { database, clock } = this.#parts
    const { config, everyMs, events, mails } = this.#own
    const now = clock.now()
    const last = await database.read(lastLook)
    if (!isDue(last, now, everyMs)) return
    if (!(await database.write((tx) => takeLook(tx, last, now), { patient: true }))) return
    const wallets = { first: 'longest', limit: MOST_WALLETS } as const
    const { troubles, unknown } = await readTroubles(database, config, { now: clock.now, wallets })
    const seen = troubles.map(seenOf)
    const next = (rows: readonly AlertRow[]) => nextAlerts(rows, seen, unknown, now)
    if (isNothing(next(await database.read(alertRows)))) return
    const isTold = await database.write(
      async (tx) => {
        if (!(await holdLook(tx, now))) return false
        const changes = next(await alertRows(tx))
        await storeAlerts(tx, changes)
        await events.tellAlerts(tx, this.#eventsOf(changes, clock.now()))
        await mails.queue(
          tx,
          mailsOf(changes, { to: config.mail?.alerts ?? [], deskUrl: this.#own.deskUrl() }),
        )
        return changes.raised.length + changes.over.length > 0
      },
      { patient: true },
    )
    if (!isTold) return
    events.notify()
    mails.notify()
  }

  #eventsOf({ raised, over }: NextAlerts, now: EpochMs) {
    const event = (type: 'alert.raised' | 'alert.over') => (row: AlertRow) => {
      const { toldAt: _, ...told } = row
      return { ...told, type, id: this.#parts.newId(now), createdAt: now }
    }
    return [
      ...raised.filter(({ key }) => !key.startsWith(TOLD_ELSEWHERE)).map(event('alert.raised')),
      ...over.map(event('alert.over')),
    ]
  }
}

/** Another gateway's look counts as well. The first of two that are a moment apart would else put the other off again and again. */
function isDue(last: string | undefined, now: EpochMs, everyMs: number): boolean {
  const at = Number(last ?? 0)
  return at > now || now - at >= 0.9 * everyMs
}

function seenOf({ key, state, words, about }: Trouble): Seen {
  const text = plainWords(words)
  return {
    key: plainWords(key),
    state,
    text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text,
    accountId: about?.kind === 'customer' ? about.accountId : null,
  }
}
