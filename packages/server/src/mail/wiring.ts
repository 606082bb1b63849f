import type { MailServer } from '../config/mail-settings.ts'
import { NOBODY } from '../flow/jobs/outbox.ts'
import type { Lane, Worker } from '../flow/jobs/worker.ts'
import type { Parts } from '../flow/parts.ts'
import { SECOND_MS } from '../kernel/time/spans.ts'
import type { Tx } from '../store/database.ts'
import type { Mail } from './mail.ts'
import { Mailer, SEND_WITHIN_MS } from './mailer.ts'
import { insertMails, LANES } from './rows.ts'

export type Mails = ReturnType<typeof openMail>

/** A server that hangs has so many mails at a time, and the others wait for it. */
const UNDER_WAY = 4
/** Added to the time of an attempt in a job's lease, for the database work before and after it. */
const LEASE_BEYOND_MS = 45 * SECOND_MS

/** Opens the mails: their lanes, and the way to have one sent. */
export function openMail(
  parts: Parts,
  { worker, server }: { worker: Pick<Worker, 'notify'>; server: MailServer | undefined },
) {
  const { clock, newId, log, metrics } = parts
  const attempts = metrics.counter(
    'wigwag_mail_attempts_total',
    'This process: attempts to send a mail, by outcome.',
    ['outcome'],
  )
  const mailer = new Mailer(parts, {
    server,
    onAgain: (lane, runAt) => worker.notify({ kind: 'callback', lane }, [{ owner: NOBODY, runAt }]),
    onAttempt({ mail, outcome, answer }) {
      attempts.inc({ outcome })
      // Without the address, which is a person's.
      const line = { mail: mail.id, answer, outcome }
      if (outcome === 'given up')
        log.error(line, 'a mail was given up: the mail server did not take it for a day')
      else if (outcome === 'again') log.warn(line, 'the mail server did not take a mail; it is sent again')
      else log.info(line, 'a mail was sent')
    },
  })
  const lanes = Object.values(LANES).map(
    (name): Lane => ({
      ...name,
      handle: (jobs, done) => mailer.deliver(jobs, done),
      batch: UNDER_WAY,
      underWay: UNDER_WAY,
      leaseMs: SEND_WITHIN_MS + LEASE_BEYOND_MS,
      gatherMs: 0,
    }),
  )
  return {
    /** Whether there is a server to send by. */
    isSetUp: server !== undefined,
    lanes,
    /** Has mails sent, to the operator or to people of customers, in the transaction of what they tell of. */
    async queue(tx: Tx, mails: readonly Mail[], to: keyof typeof LANES): Promise<void> {
      const now = clock.now()
      const rows = mails.map((mail) => ({ ...mail, id: newId(now), createdAt: now }))
      if (server) await insertMails(tx, rows, to)
    },
    /** Call after the commit of mails. */
    notify(to: keyof typeof LANES): void {
      worker.notify(LANES[to])
    },
    close: () => mailer.close(),
  }
}
