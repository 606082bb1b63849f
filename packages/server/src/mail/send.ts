import { hostname } from 'node:os'
import type { MailServer } from '../config/mail-settings.ts'
import type { EpochMs } from '../kernel/ids.ts'
import { loadedOnce } from '../kernel/process/loaded-once.ts'
import { plainWords } from '../kernel/text/words.ts'
import { SECOND_MS } from '../kernel/time/spans.ts'

/** Of a part of the talk with a mail server. The whole has a bound of its caller's. */
const ANSWER_WITHIN_MS = 20 * SECOND_MS

/** Loaded where a mail is sent: most gateways send none. */
const library = loadedOnce(() => import('nodemailer'))

/** A mail as it leaves. */
interface Leaving {
  /** The same at each attempt, so that a mail that arrives twice is known as one. */
  id: string
  recipient: string
  subject: string
  body: string
  createdAt: EpochMs
}

/** Sends one mail, over a connection of its own. Resolves to the server's answer, and rejects when it did not take the mail. */
export async function sendMail(server: MailServer, mail: Leaving, signal: AbortSignal): Promise<string> {
  const { createTransport } = await library()
  const { host, port, secure, user, password, from } = server
  const isHere = isLoopbackHost(host)
  const transport = createTransport({
    host,
    port,
    secure,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    // A password never leaves this machine unencrypted.
    requireTLS: user !== undefined && !isHere,
    // Nobody is between this machine and itself, and its own server seldom has a certificate of an authority.
    tls: { rejectUnauthorized: !isHere },
    name: nameOfThisMachine(),
    connectionTimeout: ANSWER_WITHIN_MS,
    greetingTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    dnsTimeout: ANSWER_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    const { response } = await transport.sendMail({
      from: { name: from.name, address: from.address },
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: mail.body,
      messageId: `<${mail.id}@${from.address.split('@').at(-1)}>`,
      date: new Date(mail.createdAt),
      // Nobody is to be answered by a program, such as one that says that its person is on holiday.
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    })
    return shortly(response)
  } finally {
    transport.close()
  }
}

/** A server's answer, or why there was none, on one line. */
export function explain(error: unknown): string {
  return shortly(error instanceof Error ? error.message : String(error))
}

const LONGEST = 300

function shortly(text: string): string {
  const line = plainWords(text.slice(0, 4 * LONGEST))
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Some servers refuse a greeting with a name that is none. */
function nameOfThisMachine(): string {
  const name = hostname()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name) ? name : '[127.0.0.1]'
}
