import { zBulkSmsMessage, zScheduleSmsBody, zSendSmsBody } from '@wigwag/contract/validators'
import { Problem } from '../domain/errors.ts'
import type { Ticket } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import { fingerprintOf } from '../platform/http/body.ts'
import type { Page, PageRequest } from '../platform/http/paging.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import type { Validate } from '../platform/http/validate.ts'
import { bulkCommand, scheduleCommand, smsCommand } from './commands.ts'
import type { Accepted } from './decide.ts'
import { MOST_RECIPIENTS } from './field-rules.ts'
import type { SendCommand } from './prepare.ts'
import { keyOfPart, type Progress, ticketsIn } from './progress.ts'
import type { Estimate, EstimateRequest, Quote, QuoteRequest } from './quote.ts'
import { readTexts, type Texts } from './texts.ts'

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
  /** The names of the cells; none for a list that does not name them. */
  Columns: readonly string[]
  Recipients: readonly { To: string; Reference: string; Cells: readonly string[] }[]
}

/** How many were accepted, and what refused the rest of a list that goes in parts. */
export interface ManySent {
  accepted: number
  refused?: { error: unknown }
}

/**
 * What pages ask of sending: the API's checks and use cases, without HTTP. A key sends once, like an `Idempotency-Key`;
 * sending again with it gives the first result.
 */
export interface SendingForPages {
  newKey(): string
  /** A list with more recipients goes in parts. */
  mostInPart: number
  /** Sends at once, or at `SendAt`. */
  send(principal: WalletPrincipal, message: FormMessage, key: string): Promise<Ticket>
  /** The price of a message, after the checks that a send would have to pass. */
  estimate(principal: WalletPrincipal, message: FormMessage): Promise<Estimate>
  /** Throws when the first part is refused: then nothing was sent. */
  sendMany(principal: WalletPrincipal, bulk: FormBulk, key: string): Promise<ManySent>
  /** The prices of a list, with everything that is wrong in it. */
  quote(principal: WalletPrincipal, bulk: FormBulk): Promise<Quote>
  progress(principal: WalletPrincipal, key: string): Promise<Progress | undefined>
  scheduled(principal: WalletPrincipal, page: PageRequest): Promise<Page<MessageRow>>
  cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow>
}

interface UseCases extends Pick<SendingForPages, 'newKey' | 'progress' | 'scheduled' | 'cancel'> {
  validate: Validate
  accept(command: SendCommand): Promise<Accepted>
  estimate(request: EstimateRequest): Promise<Estimate>
  quote(request: QuoteRequest): Promise<Quote>
  mostInPart?: number | undefined
}

/** What a list shares: everything but its recipients. */
const zShared = zBulkSmsMessage.omit({ Recipients: true })

export function forPages({
  validate,
  accept,
  mostInPart = MOST_RECIPIENTS,
  ...others
}: UseCases): SendingForPages {
  function commandOf(principal: WalletPrincipal, message: FormMessage, key: string): SendCommand {
    const request = { principal, idempotency: idempotencyOf(key, message) }
    const command =
      message.SendAt === undefined
        ? smsCommand({ ...request, body: validate(zSendSmsBody, message) })
        : scheduleCommand({ ...request, body: validate(zScheduleSmsBody, message) })
    return { ...command, keysOf: 'the form' }
  }

  return {
    ...others,
    mostInPart,

    async send(principal, message, key) {
      const { json } = await accept(commandOf(principal, message, key))
      const { Ticket }: { Ticket: Ticket } = JSON.parse(json)
      return Ticket
    },

    estimate(principal, message) {
      const { sender, content, recipients, pointerTo } = commandOf(principal, message, '')
      const [{ to } = { to: '' }] = recipients
      return others.estimate({ principal, sender, to, pointerTo: pointerTo(0), content })
    },

    async sendMany(principal, { Recipients, Columns, ...shared }, key) {
      const texts = readTexts(shared.Content, Columns)
      let accepted = 0
      for (const [index, part] of inParts(Recipients, mostInPart).entries()) {
        const bulk = { ...shared, Columns, Recipients: part }
        const idempotency = idempotencyOf(keyOfPart(key, index), bulk)
        try {
          const body = validate(zBulkSmsMessage, { ...shared, Recipients: part.map(recipientOf) })
          const command = bulkCommand({ principal, body, idempotency })
          const { json } = await accept({ ...command, ...filled(command, part, texts) })
          accepted += ticketsIn(json).length
        } catch (error) {
          if (accepted === 0) throw error
          return { accepted, refused: { error } }
        }
      }
      return { accepted }
    },

    async quote(principal, { Recipients, Columns, ...shared }) {
      const { From, Content } = validate(zShared, shared)
      const texts = readTexts(Content, Columns)
      return others.quote({ principal, sender: From, recipients: withTexts(Recipients, texts) })
    },
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
