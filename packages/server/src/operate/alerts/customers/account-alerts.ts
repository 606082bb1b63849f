import { createHmac } from 'node:crypto'
import { type Micros, toDecimal } from '@wigwag/contract'
import { and, eq } from 'drizzle-orm'
import { lockForChange } from '../../../accounts/index.ts'
import {
  type Mailing,
  mailingOf,
  noteMailAsked,
  noteMailProven,
  setAlertsByMail,
} from '../../../accounts/people/index.ts'
import type { Parts } from '../../../flow/parts.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../../../kernel/time/spans.ts'
import type { Mails } from '../../../mail/index.ts'
import { warningOf } from '../../../money/index.ts'
import { type Audit, actorOf, createAudit } from '../../../store/audit/index.ts'
import type { Tx } from '../../../store/database.ts'
import type { AlertKind } from '../../../store/schema/schema.ts'
import { codeMail } from './mails.ts'
import { type AlertsOfAccount, alertsOf, endAddress, endAlerts } from './rows.ts'

export const ALERT_KINDS = ['wallet', 'spend', 'receiver', 'address'] as const satisfies readonly AlertKind[]

/** The kinds that an account wants to be told of, with the amount where a kind has one. */
export type Choices = ReadonlyMap<AlertKind, Micros | null>

/** Somebody of an account, who is signed in. */
interface Who {
  accountId: string
  personId: string
  email: string
}

/** The alerts of an account, and its choices, as one of its people sees them. */
export interface AlertsView extends AlertsOfAccount {
  choices: Choices
  /** Below which amount the operator is warned; undefined for never. */
  operatorBelow: Micros | undefined
  /** Undefined for who is not of the account: an operator who looks. */
  mailing: Mailing | undefined
}

/** A code is sent to an address at most so often: it may be a stranger's. */
const ASKED_EVERY_MS = HOUR_MS
/** Without letters and digits that look like others. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXYZ23456789'
const LENGTH = 10

/** The alerts that customers choose, and who is told of them by mail. */
export class AccountAlerts {
  readonly #parts: Pick<Parts, 'database' | 'clock'>
  readonly #own: { mails: Pick<Mails, 'isSetUp' | 'queue' | 'notify'>; key: string; pageUrl(): string }
  readonly #audit: Audit

  constructor(
    parts: Pick<Parts, 'database' | 'clock' | 'newId'>,
    own: {
      mails: Pick<Mails, 'isSetUp' | 'queue' | 'notify'>
      /** Makes the codes. Must be the same in all gateways. */
      key: string
      /** The address of the page *Alerts*. */
      pageUrl(): string
    },
  ) {
    this.#parts = parts
    this.#own = own
    this.#audit = createAudit(parts)
  }

  /** Whether this gateway sends mails. */
  get canMail(): boolean {
    return this.#own.mails.isSetUp
  }

  read({ accountId, personId }: Who, walletId: string): Promise<AlertsView> {
    return this.#parts.database.read(async (tx) => ({
      ...(await alertsOf(tx, accountId, this.#parts.clock.now())),
      choices: await choicesOf(tx, accountId),
      operatorBelow: await warningOf(tx, walletId),
      mailing: await mailingOf(tx, { accountId, personId }),
    }))
  }

  /** Sets all that an account is told of. Alerts of a kind that is chosen no more are over, and nobody is told. */
  choose({ accountId, personId }: Who, wanted: Choices): Promise<void> {
    return this.#parts.database.write(async (tx) => {
      // Of two who choose at once the second changes what the first chose, and the log says so.
      await lockForChange(tx, accountId)
      const before = await choicesOf(tx, accountId)
      for (const kind of ALERT_KINDS) {
        const [was, is] = [before.get(kind), wanted.get(kind)]
        if (was === is) continue
        await setChoice(tx, accountId, kind, is)
        if (is === undefined) await endAlerts(tx, accountId, kind, this.#parts.clock.now())
        const amount = is === undefined || is === null ? {} : { amount: toDecimal(is) }
        await this.#audit(tx, {
          actor: actorOf(personId),
          accountId,
          action: 'alert.choose',
          detail: { kind, told: is !== undefined, ...amount },
        })
      }
    })
  }

  /** Ends the alert of a new address that somebody knows. False when it is not there. */
  know({ accountId, personId }: Who, id: string): Promise<boolean> {
    return this.#parts.database.write(async (tx) => {
      await lockForChange(tx, accountId)
      const key = await endAddress(tx, accountId, id, this.#parts.clock.now())
      if (key === undefined) return false
      const address = key.split(':').slice(2).join(':')
      const entry = {
        actor: actorOf(personId),
        accountId,
        action: 'alert.know',
        detail: { address },
      } as const
      await this.#audit(tx, entry)
      return true
    })
  }

  /**
   * Has somebody told by mail, at the address that they sign in with. Nobody ever showed that it is theirs, so the first
   * mail has a code for them to type; `asked` when one is on its way, or was a while ago.
   */
  async mail(who: Who): Promise<'on' | 'asked' | 'not set up'> {
    const { mails, pageUrl } = this.#own
    if (!mails.isSetUp) return 'not set up'
    const now = this.#parts.clock.now()
    const done = await this.#parts.database.write(async (tx) => {
      const mailing = await mailingOf(tx, who)
      if (!mailing) return 'asked'
      if (mailing.provenAt > 0) {
        await this.#set(tx, who, true)
        return 'on'
      }
      if (await noteMailAsked(tx, who.personId, now, ASKED_EVERY_MS)) {
        const code = shownCode(this.#code(who, utcDay(now)))
        const { email, accountId } = who
        await mails.queue(tx, [codeMail({ email, accountId, code, pageUrl: pageUrl() })], 'people')
      }
      return 'asked'
    })
    mails.notify('people')
    return done
  }

  /** Takes the code of the mail. False when it is not of today or yesterday. */
  async prove(who: Who, typed: string): Promise<boolean> {
    const now = this.#parts.clock.now()
    const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, '')
    const days = [utcDay(now), utcDay(now - DAY_MS)]
    if (!days.some((day) => code === this.#code(who, day))) return false
    await this.#parts.database.write(async (tx) => {
      await noteMailProven(tx, who.personId, now)
      await this.#set(tx, who, true)
    })
    return true
  }

  mailNoMore(who: Who): Promise<void> {
    return this.#parts.database.write((tx) => this.#set(tx, who, false))
  }

  async #set(tx: Tx, who: Who, byMail: boolean): Promise<void> {
    const { accountId, personId } = who
    await lockForChange(tx, accountId)
    if (!(await setAlertsByMail(tx, who, byMail))) return
    await this.#audit(tx, { actor: actorOf(personId), accountId, action: 'alert.mail', detail: { byMail } })
  }

  #code({ personId, email }: Who, day: number): string {
    const digest = createHmac('sha256', this.#own.key).update(`${personId}\n${email}\n${day}`).digest()
    return [...digest.subarray(0, LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  }
}

/** `BCDFG-HJKMN` */
function shownCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

async function choicesOf({ db, t }: Tx, accountId: string): Promise<Map<AlertKind, Micros | null>> {
  const rows = await db.select().from(t.alertChoices).where(eq(t.alertChoices.accountId, accountId))
  return new Map(rows.map(({ kind, amount }) => [kind, amount]))
}

async function setChoice(
  { db, t, run }: Tx,
  accountId: string,
  kind: AlertKind,
  amount: Micros | null | undefined,
): Promise<void> {
  if (amount === undefined) {
    await db
      .delete(t.alertChoices)
      .where(and(eq(t.alertChoices.accountId, accountId), eq(t.alertChoices.kind, kind)))
    return
  }
  await run(
    `INSERT INTO alert_choices (account_id, kind, amount) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, kind) DO UPDATE SET amount = excluded.amount`,
    [accountId, kind, amount],
  )
}
