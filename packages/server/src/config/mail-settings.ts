import { resolve } from 'node:path'
import { shownUrl } from '@wigwag/contract'
import { readSecretFile } from '../kernel/process/secret-file.ts'
import { isEmail } from '../kernel/text/entered.ts'
import { ConfigError, list, names, type SettingName } from './setting-values.ts'

/** The operator's own mail server, and in whose name mails are sent. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte on; else by STARTTLS where the server offers it. */
  secure: boolean
  user: string | undefined
  password: string | undefined
  from: { name: string; address: string }
}

export interface MailSettings extends MailServer {
  /** Who is told of alerts. */
  alerts: readonly string[]
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 }
const EXAMPLE = 'smtps://user:password@mail.example.com'

/** Undefined where no mails are sent. Relative paths start from `folder`. */
export function mailSettings(
  text: (name: SettingName) => string | undefined,
  folder: string,
): MailSettings | undefined {
  const given = text('mail')
  const alerts = addresses(text('alertMail'))
  if (given === undefined) {
    const alone = (['mailFrom', 'alertMail'] as const).find((name) => text(name) !== undefined)
    if (alone === undefined) return undefined
    throw new ConfigError(
      `${names[alone]}: expected ${names.mail} beside it, such as ${EXAMPLE}, got it alone.`,
    )
  }
  return {
    ...server(given.startsWith('file:') ? read(given, folder) : given),
    from: sender(text('mailFrom')),
    alerts,
  }
}

/** The first line of a file, for a password that is no environment variable. */
function read(given: string, folder: string): string {
  const path = resolve(folder, given.slice('file:'.length))
  const { text, fault } = readSecretFile(path)
  if (fault === undefined) return text.split('\n')[0]?.trim() ?? ''
  throw new ConfigError(
    `${names.mail}: expected a file with the address of the server in its first line, got ${path} (${fault}).`,
  )
}

function server(given: string): Omit<MailServer, 'from'> {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const port = url && PORTS[url.protocol as keyof typeof PORTS]
  const isBare = url && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (!url || port === undefined || !isBare || url.hostname === '') {
    // A text that is no address may be a password, so it is not shown.
    const got = url ? JSON.stringify(shownUrl(given)) : 'something else'
    throw new ConfigError(
      `${names.mail}: expected an address such as ${EXAMPLE} or file:./mail.txt with one, got ${got}.`,
    )
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? port : Number(url.port),
    secure: url.protocol === 'smtps:',
    user: url.username === '' ? undefined : decoded(url.username),
    password: url.password === '' ? undefined : decoded(url.password),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new ConfigError(
      `${names.mail}: expected a user and a password with each % written as %25, got another.`,
    )
  }
}

const NAMED = /^([^<>"@\p{Cc}]*?)\s*<([^<>]+)>$/u

function sender(text: string | undefined): MailServer['from'] {
  const [, name = '', address = text ?? ''] = NAMED.exec(text ?? '') ?? []
  if (isEmail(address)) return { name, address }
  throw new ConfigError(
    `${names.mailFrom}: expected an address such as wigwag@example.com or Wigwag <wigwag@example.com>, got ${text === undefined ? 'nothing' : JSON.stringify(text)}.`,
  )
}

function addresses(text: string | undefined): string[] {
  const given = list(text ?? '')
  const wrong = given.find((one) => !isEmail(one))
  if (wrong === undefined) return [...new Set(given)]
  throw new ConfigError(
    `${names.alertMail}: expected addresses such as ops@example.com with spaces between them, got ${JSON.stringify(wrong)}.`,
  )
}
