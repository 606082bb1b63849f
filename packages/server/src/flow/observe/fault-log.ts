import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { isAll, StoreUnavailable } from '../../store/database.ts'
import type { Parts } from '../parts.ts'

/** While the database is unavailable, each part finds that out every second. */
const AGAIN_MS = MINUTE_MS

/** Counts every unexpected error and logs it; that the database is unavailable, once a minute for each part. */
export class FaultLog {
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>
  readonly #log: Pick<Logger, 'error'>
  readonly #newId: Parts['newId']
  readonly #count: (part: string) => void
  readonly #unavailable = new Map<string, { id: string; at: number }>()

  constructor(
    { clock, newId }: Pick<Parts, 'newId'> & { clock: Pick<Clock, 'now' | 'elapsed'> },
    log: Pick<Logger, 'error'>,
    count: (part: string) => void,
  ) {
    this.#clock = clock
    this.#log = log
    this.#newId = newId
    this.#count = count
  }

  readonly of: Parts['fault'] = (part) => (error, more) => {
    this.#count(part)
    const at = this.#clock.elapsed()
    const isAway = isAll(error, StoreUnavailable)
    const said = isAway ? this.#unavailable.get(part) : undefined
    if (said && at - said.at < AGAIN_MS) return said.id
    const id = this.#newId(this.#clock.now())
    if (isAway) this.#unavailable.set(part, { id, at })
    this.#log.error({ id, part, ...more, err: error }, 'an unexpected error')
    return id
  }
}
