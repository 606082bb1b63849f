import type { MailServer } from '../config/mail-settings.ts'
import { attemptJob, type Posted } from '../flow/jobs/attempt.ts'
import type { Job } from '../flow/jobs/outbox.ts'
import { all } from '../flow/jobs/queue.ts'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/time/spans.ts'
import { deleteMail, dueMail, type MailRow } from './rows.ts'
import { explain, sendMail } from './send.ts'

/** The pauses after the first attempts. After the last one they stay as long. */
const PAUSES_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
]
const LONGEST_PAUSE_MS = HOUR_MS
/** An alert that is a day old wakes nobody any more. */
const GIVEN_UP_AFTER_MS = DAY_MS
/** Of one attempt, whatever the server does meanwhile. */
export const SEND_WITHIN_MS = MINUTE_MS

/** In real time: a gateway that stops waits a little longer than that for its jobs. */
const FINISH_WITHIN_MS = 2 * SECOND_MS

export type MailOutcome = 'sent' | 'again' | 'given up'

interface Own {
  /** Undefined where mails are not set up: another gateway may have the setting already. */
  server: MailServer | undefined
  /** Called once per attempt, for log and metrics. */
  onAttempt(attempt: { mail: MailRow; outcome: MailOutcome; answer: string }): void
  /** Called after a commit when a mail is to be sent again. */
  onAgain(lane: string, runAt: EpochMs): void
}

/** Sends claimed mails. One goes when a server took it, or when it is given up. */
export class Mailer {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #own: Own
  readonly #stopping = new AbortController()

  constructor(parts: Pick<Parts, 'database' | 'clock'>, own: Own) {
    this.#parts = parts
    this.#own = own
  }

  async deliver(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    await all(
      jobs.map((job) => attemptJob(this.#parts.database, job, this.#mailOf(job)).then(() => done(job))),
    )
  }

  /** Ends what is soon still under way: it is sent again later, by whichever gateway has it then. */
  close(): void {
    setTimeout(() => this.#stopping.abort(), FINISH_WITHIN_MS).unref()
  }

  #mailOf({ lane }: Job): Posted<MailRow> {
    return {
      lane: { kind: 'callback', lane },
      find: dueMail,
      remove: deleteMail,
      attempt: (mail, job) => this.#attempt(mail, job),
      onAgain: (runAt) => this.#own.onAgain(lane, runAt),
    }
  }

  async #attempt(mail: MailRow, job: Job): Promise<EpochMs | undefined> {
    const { isTaken, answer } = await this.#send(mail)
    const runAt = this.#parts.clock.now() + (PAUSES_MS[job.attempts] ?? LONGEST_PAUSE_MS)
    const outcome = isTaken ? 'sent' : runAt - mail.createdAt > GIVEN_UP_AFTER_MS ? 'given up' : 'again'
    this.#own.onAttempt({ mail, outcome, answer })
    return outcome === 'again' ? epochMs(runAt) : undefined
  }

  async #send(mail: MailRow): Promise<{ isTaken: boolean; answer: string }> {
    const { server } = this.#own
    if (!server) return { isTaken: false, answer: 'WIGWAG_MAIL is not set' }
    const late = new AbortController()
    const cancel = this.#parts.clock.after(SEND_WITHIN_MS, () => late.abort())
    try {
      const signal = AbortSignal.any([late.signal, this.#stopping.signal])
      return { isTaken: true, answer: await sendMail(server, mail, signal) }
    } catch (error) {
      const answer = late.signal.aborted ? `no answer within ${SEND_WITHIN_MS / SECOND_MS} s` : explain(error)
      return { isTaken: false, answer }
    } finally {
      cancel()
    }
  }
}
