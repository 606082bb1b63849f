import { readContent } from '@wigwag/contract'
import { zBulkSmsMessage, zScheduleSmsBody, zSendSmsBody } from '@wigwag/contract/validators'
import { invalidFields, Problem, type ProblemCode } from '../../kernel/errors.ts'
import type { Ticket } from '../../kernel/ids.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import { columnOf, whyNotFilled } from '../../kernel/text/fields.ts'
import { fingerprintOf } from '../../net/server/body.ts'
import type { Page, PageRequest } from '../../net/server/paging.ts'
import type { Validation } from '../../net/server/validate.ts'
import type { MessageRow } from '../index.ts'
import type { Accept } from './accept.ts'
import { bulkCommand, scheduleCommand, sendTime, smsCommand } from './commands.ts'
import { MOST_RECIPIENTS } from './field-rules.ts'
import { checkSendAt, type SendCommand } from './prepare.ts'
import { keyOfPart, type Progress, progressOf, ticketsIn } from './progress.ts'
import { type Estimate, estimate, type Quote, quoteList } from './quote.ts'
import { type Cancelling, cancelScheduled, listScheduled } from './scheduled.ts'
import { cancelTogether, listOf, listTogether, type Together } from './scheduled-lists.ts'

/** A message as a form has it: the fields of the API, not checked yet. */
export interface FormMessage {
  From: string
  To: string
  Content: string
  Reference?: string
  CallbackUrl?: string
  SendAt?: string
}

/** A text for a list, not checked yet. Its fields, such as `{Name}`, are filled in from the columns of the list. */
export interface FormBulk {
  From: string
  Content: string
  CallbackUrl?: string
  /** When to send, in UTC; at once when it is left out. */
  SendAt?: string
  /** The names of the cells; none for a list that does not name them. */
  Columns: readonly string[]
  Recipients: readonly { To: string; Reference: string; Cells: readonly string[] }[]
}

/** How many were accepted, and what refused the rest of a list that goes in parts. */
export interface ManySent {
  accepted: number
  refused?: { error: unknown }
}

/** The fields of a list that its recipients share. */
const zShared = zBulkSmsMessage.omit({ Recipients: true })

/**
 * Sending for pages: the API's checks and use cases, without HTTP. A key sends once, like an
 * `Idempotency-Key`; sending again with it gives the first result.
 */
export class SendingForPages {
  /** A list with more recipients goes in parts. */
  readonly mostInPart: number
  readonly #parts: Cancelling & Parameters<typeof estimate>[0]
  readonly #accept: Accept
  readonly #validation: Validation

  constructor(
    parts: Cancelling & Parameters<typeof estimate>[0],
    own: { accept: Accept; validation: Validation; mostInPart?: number | undefined },
  ) {
    this.#parts = parts
    this.#accept = own.accept
    this.#validation = own.validation
    this.mostInPart = own.mostInPart ?? MOST_RECIPIENTS
  }

  newKey(): string {
    const { newId, clock } = this.#parts
    return newId(clock.now())
  }

  /** Sends at once, or at `SendAt`. */
  async send(principal: WalletPrincipal, message: FormMessage, key: string): Promise<Ticket> {
    const { json } = await this.#accept.send(this.#commandOf(principal, message, key))
    const { Ticket }: { Ticket: Ticket } = JSON.parse(json)
    return Ticket
  }

  /** The price of a message, after the checks that a send would have to pass. */
  async estimate(principal: WalletPrincipal, message: FormMessage): Promise<Estimate> {
    const { sender, content, recipients, pointerTo } = this.#commandOf(principal, message, '')
    const [{ to } = { to: '' }] = recipients
    return estimate(this.#parts, { principal, sender, to, pointerTo: pointerTo(0), content })
  }

  /** Throws when the first part is refused: then nothing was sent. */
  async sendMany(
    principal: WalletPrincipal,
    { Recipients, Columns, SendAt, ...shared }: FormBulk,
    key: string,
  ): Promise<ManySent> {
    const texts = readTexts(shared.Content, Columns)
    let accepted = 0
    for (const [index, part] of inParts(Recipients, this.mostInPart).entries()) {
      const bulk = { ...shared, SendAt, Columns, Recipients: part }
      const idempotency = idempotencyOf(keyOfPart(key, index), bulk)
      try {
        const body = await this.#validation.validateInSlices(zBulkSmsMessage, {
          ...shared,
          Recipients: part.map(recipientOf),
        })
        const command = bulkCommand({ principal, body, idempotency }, SendAt)
        const { json } = await this.#accept.send({ ...command, ...filled(command, part, texts) })
        accepted += ticketsIn(json).length
      } catch (error) {
        if (accepted === 0) throw error
        return { accepted, refused: { error } }
      }
    }
    return { accepted }
  }

  /** The prices of a list, with everything that is wrong in it. */
  async quote(
    principal: WalletPrincipal,
    { Recipients, Columns, SendAt, ...shared }: FormBulk,
  ): Promise<Quote> {
    if (SendAt !== undefined) checkSendAt(sendTime(SendAt), this.#parts.clock.now())
    const { From, Content } = this.#validation.validate(zShared, shared)
    const recipients = withTexts(Recipients, readTexts(Content, Columns))
    return quoteList(this.#parts.rates, { principal, sender: From, recipients })
  }

  progress(principal: WalletPrincipal, key: string): Promise<Progress | undefined> {
    return progressOf(this.#parts.database, principal, key)
  }

  scheduled(principal: WalletPrincipal, page: PageRequest): Promise<Page<MessageRow>> {
    return listScheduled(this.#parts.database, principal, page)
  }

  /** Scheduled messages, those of a list as one. */
  together(principal: WalletPrincipal, page: PageRequest): Promise<Page<Together>> {
    return listTogether(this.#parts.database, principal, page)
  }

  listOf(principal: WalletPrincipal, ticket: string, page: PageRequest): ReturnType<typeof listOf> {
    return listOf(this.#parts.database, principal, ticket, page)
  }

  /** How many of a list were cancelled; undefined when the caller has no such list. */
  cancelTogether(principal: WalletPrincipal, ticket: string): Promise<number | undefined> {
    return cancelTogether(this.#parts, principal, ticket)
  }

  cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow> {
    return cancelScheduled(this.#parts, principal, ticket)
  }

  #commandOf(principal: WalletPrincipal, message: FormMessage, key: string): SendCommand {
    const request = { principal, idempotency: idempotencyOf(key, message) }
    const command =
      message.SendAt === undefined
        ? smsCommand({ ...request, body: this.#validation.validate(zSendSmsBody, message) })
        : scheduleCommand({ ...request, body: this.#validation.validate(zScheduleSmsBody, message) })
    return { ...command, keysOf: 'the form' }
  }
}

type FormRecipient = FormBulk['Recipients'][number]

function recipientOf({ To, Reference }: FormRecipient) {
  return { To, Reference }
}

/** Each with its text, made when it is its turn: together they may be far larger than the list. */
function* withTexts(recipients: FormBulk['Recipients'], texts: Texts) {
  for (const { To, Reference, Cells } of recipients)
    yield { to: To, reference: Reference, content: texts.of(Cells) }
}

/** The recipients of a part with their texts. All are sent in one transaction, whether they share a text or not. */
function filled(
  { recipients }: SendCommand,
  part: readonly FormRecipient[],
  texts: Texts,
): Pick<SendCommand, 'recipients'> {
  return {
    recipients: recipients.map((recipient, index) => {
      const content = texts.of(part[index]?.Cells ?? [])
      if (content instanceof Problem) throw content
      return { ...recipient, content }
    }),
  }
}

function idempotencyOf(key: string, body: object) {
  return { key, fingerprint: fingerprintOf(Buffer.from(JSON.stringify(body))) }
}

function inParts<T>(list: readonly T[], most: number): T[][] {
  const parts = Math.max(1, Math.ceil(list.length / most))
  return Array.from({ length: parts }, (_, part) => list.slice(part * most, (part + 1) * most))
}

/** Longer than any text that can be sent, so that none is made much longer than that. */
const LONGEST = 10_000

/** The texts of a list: one for all, or one for each, with its fields filled in from the cells of a line. */
interface Texts {
  areOwn: boolean
  /** The text of a line, or why it has none. */
  of(cells: readonly string[]): string | Problem
}

/** Reads the text for a list with these columns. Throws a problem if it can't be filled in from them. */
function readTexts(content: string, columns: readonly string[]): Texts {
  const { text, render, fields } = contentOf(content)
  if (!render) return { areOwn: false, of: () => text }
  const lacking = whyNotFilled(fields, columns, 'the list')
  if (lacking !== undefined) throw wrongContent('missing_field', `The text ${lacking}.`)
  const places = fields.map((field) => [field, columnOf(field, columns)] as const)
  return {
    areOwn: true,
    of(cells) {
      const filled = render(Object.fromEntries(places.map(([field, at]) => [field, cells[at] ?? ''])))
      return typeof filled === 'string' ? filled : new Problem('missing_field', filled.message)
    },
  }
}

function contentOf(content: string): ReturnType<typeof readContent> {
  try {
    return readContent(content, LONGEST)
  } catch (error) {
    if (error instanceof TypeError)
      throw wrongContent('content_invalid', error.message.replace(/^Content: e/, 'E'))
    throw error
  }
}

function wrongContent(code: ProblemCode, detail: string): Problem {
  return invalidFields([{ pointer: '/Content', code, detail }])
}
