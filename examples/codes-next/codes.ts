// codes.ts
import { createHmac, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Client, WigwagError } from '@wigwag/sdk'

const MINUTE = 60_000
const LIFE = 10 * MINUTE
const RESEND_AFTER = MINUTE / 2
const TRIES = 5

interface Pending {
  id: string
  hash: Buffer
  sentAt: number
  triesLeft: number
}

export interface Parts {
  sms: Pick<Client, 'sendSms'>
  isCustomer(phone: string): boolean
  /** A secret of the app. Six digits are soon tried out, so a hash without a secret would hide nothing. */
  secret: string
  now?(): number
  log?(...words: unknown[]): void
}

/** For your framework: a status, and words to send as JSON. */
export interface Answer {
  status: 200 | 202 | 401 | 429
  message: string
}

const ON_ITS_WAY: Answer = { status: 202, message: 'If we know this number, a code is on its way.' }
const SIGNED_IN: Answer = { status: 200, message: 'You are signed in.' } // in your app: begin a session here
const WRONG: Answer = { status: 401, message: 'This code is wrong or too old.' }
const TOO_MANY: Answer = { status: 429, message: 'Too many tries. Wait a while.' }

export function createCodes({ sms, isCustomer, secret, now = Date.now, log = console.error }: Parts) {
  const pending = new Map<string, Pending>() // in your app: a table with the phone as its key
  const isAllowed = limiter(now)
  const hashOf = (id: string, code: string) => createHmac('sha256', secret).update(`${id} ${code}`).digest()

  /** Sends a code, unless one has just been sent. */
  function start(phone: string): void {
    const before = pending.get(phone)
    if (before && now() - before.sentAt < RESEND_AFTER) return
    const id = randomUUID()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    pending.set(phone, { id, hash: hashOf(id, code), sentAt: now(), triesLeft: TRIES })
    if (isCustomer(phone)) void send(phone, id, code)
  }

  async function send(To: string, id: string, code: string): Promise<void> {
    const Content = `Acme: ${code} is your code. It is good for 10 minutes. We never ask for it.\n\n@shop.example #${code}`
    try {
      await sms.sendSms(
        { To, Content, Reference: `code-${id}` },
        { idempotencyKey: id, timeout: 5_000, deadline: 15_000 },
      )
    } catch (error) {
      const isUncertain = error instanceof WigwagError && error.uncertain
      // A code that may be on its way stays good. After one that is not, the next press sends another at once.
      if (!isUncertain && pending.get(To)?.id === id) pending.delete(To)
      log(isUncertain ? 'a code may not have been sent' : 'a code was not sent', id, error)
    }
  }

  function isRight(phone: string, code: string): boolean {
    const sent = pending.get(phone)
    if (!sent || now() - sent.sentAt > LIFE || sent.triesLeft === 0) return false
    sent.triesLeft -= 1 // before the comparison: two guesses at once are two
    if (!timingSafeEqual(sent.hash, hashOf(sent.id, code)) || !isCustomer(phone)) return false
    return pending.delete(phone) // good once
  }

  return {
    /** For a request with `phone` from an address: that of the other side, or what your proxy says it is. */
    ask(body: unknown, address: string): Answer {
      const phone = digitsOf(body, 'phone')
      if (!isAllowed(`send from ${address}`, 10, 60 * MINUTE)) return TOO_MANY
      if (!isAllowed(`send to ${phone}`, 3, 15 * MINUTE)) return TOO_MANY
      start(phone)
      return ON_ITS_WAY
    },
    /** The same for one with `phone` and `code`. */
    check(body: unknown, address: string): Answer {
      if (!isAllowed(`check from ${address}`, 30, 60 * MINUTE)) return TOO_MANY
      return isRight(digitsOf(body, 'phone'), digitsOf(body, 'code')) ? SIGNED_IN : WRONG
    },
  }
}

function digitsOf(body: unknown, field: 'phone' | 'code'): string {
  const { [field]: value }: Record<string, unknown> = Object(body)
  return typeof value === 'string' ? value.replace(/\D/g, '').slice(0, 20) : ''
}

/** Counts what was done under a name since `span` ago. With several processes, count in your database or in Redis. */
function limiter(now: () => number) {
  const times = new Map<string, number[]>()
  return function isAllowed(name: string, most: number, span: number): boolean {
    const recent = (times.get(name) ?? []).filter((time) => now() - time < span)
    if (recent.length < most) recent.push(now())
    else return false
    times.set(name, recent)
    return true
  }
}
