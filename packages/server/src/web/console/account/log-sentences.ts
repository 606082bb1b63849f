import { counted, span } from '@wigwag/contract'
import type { toolInputs } from '@wigwag/contract/tools'
import { moneyOfDecimal } from '../../../kernel/money/shown.ts'
import type { AccountAction, AccountFailure, WriteOperation } from '../../../store/audit/index.ts'

/** Facts that a sentence needs beyond its entry. */
export interface Known {
  currency: string
  /** Whom the message with this ticket went to; undefined when it is not there any more. */
  recipientOf(ticket: string): string | undefined
  /** Another number, as who reads may see it. */
  numberOf(number: string): string
  /** The name that the assistant of a connection gave itself, in quotes. */
  assistantOf(connection: string): string
}

/** The detail of an entry, as its sentence needs it. */
class Detail {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly known: Known

  constructor(fields: Readonly<Record<string, unknown>>, known: Known) {
    this.#fields = fields
    this.known = known
  }

  has(name: string): boolean {
    const value = this.#fields[name]
    return value !== undefined && value !== null
  }

  text(name: string): string {
    return this.has(name) ? String(this.#fields[name]) : ''
  }

  number(name: string): number {
    return Number(this.text(name))
  }

  money(name: string): string {
    return moneyOfDecimal(this.number(name), this.known.currency)
  }

  /** Their address, which stands in place of the id until they are forgotten. */
  get person(): string {
    const address = this.text('person')
    return address.includes('@') ? address : 'somebody who was forgotten'
  }

  get assistant(): string {
    return this.known.assistantOf(this.text('connection'))
  }

  /** ` to 233241234567`, of a message that is still there. */
  get toRecipient(): string {
    const recipient = this.known.recipientOf(this.text('ticket'))
    return recipient === undefined ? '' : ` to ${recipient}`
  }

  /** `a message to 233241234567`, or `120 messages`. */
  get messages(): string {
    const count = this.has('messages') ? this.number('messages') : 1
    return count === 1 ? `a message${this.toRecipient}` : `${count} messages`
  }

  get forPrice(): string {
    return this.has('cost') ? ` for ${this.money('cost')}` : ''
  }

  /** An assistant's daily limits. */
  get perDay(): string {
    const parts = [
      this.has('dailySpend') && `spend ${this.money('dailySpend')}`,
      this.has('spend') && `spend ${this.money('spend')}`,
      this.has('dailyMessages') && `send ${counted(this.number('dailyMessages'), 'message')}`,
      this.has('messages') && `send ${counted(this.number('messages'), 'message')}`,
    ]
    const most = parts.filter(Boolean).join(' and ')
    return most === '' ? 'have no such limit' : `${most} a day`
  }
}

type Say = (detail: Detail) => string

/** Words for a write that was done, and for one that was refused. */
const WRITES: Readonly<Record<WriteOperation, { did: Say; tried: Say }>> = {
  sendSms: { did: (d) => `sent ${d.messages}${d.forPrice}`, tried: (d) => `send ${d.messages}` },
  sendBulkSms: { did: (d) => `sent ${d.messages}${d.forPrice}`, tried: (d) => `send ${d.messages}` },
  scheduleSms: { did: (d) => `scheduled ${d.messages}${d.forPrice}`, tried: (d) => `schedule ${d.messages}` },
  cancelScheduledSms: {
    did: (d) =>
      d.has('messages') && d.number('messages') !== 1
        ? `cancelled ${d.number('messages')} scheduled messages`
        : `cancelled a scheduled message${d.toRecipient}`,
    tried: (d) => `cancel a message${d.toRecipient}`,
  },
  requestSenderId: {
    did: (d) => `asked for the sender ID ${d.text('about')}`,
    tried: () => 'ask for a sender ID',
  },
  rotateKey: { did: (d) => `made a new ${keyOf(d)}`, tried: () => 'make a new key' },
  endKey: { did: (d) => `ended an old ${keyOf(d)}`, tried: () => 'end an old key' },
  replayCallback: { did: () => 'posted a callback again', tried: () => 'post a callback again' },
  replayFailedCallbacks: {
    did: () => 'posted all failed callbacks again',
    tried: () => 'post callbacks again',
  },
}

/** The write that each tool makes. */
const BY_TOOL: Readonly<Record<keyof typeof toolInputs, WriteOperation | 'none'>> = {
  send_sms: 'sendSms',
  schedule_sms: 'scheduleSms',
  cancel_scheduled: 'cancelScheduledSms',
  get_balance: 'none',
  search_messages: 'none',
  get_message_status: 'none',
  estimate_cost: 'none',
  list_sender_ids: 'none',
  get_rates: 'none',
  delivery_insights: 'none',
}

/** `callback key`. Which of them, the log has by an id. */
function keyOf(detail: Detail): string {
  const [kind = ''] = detail.text('about').split(' ')
  return `${kind} key`
}

/** `the name of the account from A to B and its address from C to D` */
function edited(d: Detail): string {
  const change = (name: string) => `from ${d.text(`${name}Before`) || 'none'} to ${d.text(name) || 'none'}`
  const parts = [
    d.has('name') && `the name of the account ${change('name')}`,
    d.has('email') && `the address of the account ${change('email')}`,
    d.has('country') && `the country of numbers without a country code ${change('country')}`,
  ]
  return parts.filter(Boolean).join(' and ')
}

const SAYINGS: Readonly<Record<AccountAction | AccountFailure, Say>> = {
  'portal.sign-in': (d) => `signed in (${d.text('by')})${from(d)}`,
  'portal.sign-out': () => 'signed out',
  'portal.sign-in-failed': (d) => `tried to sign in, and failed${times(d)}${from(d)}`,
  'portal.sign-in-suspended': (d) => `tried to sign in while the account was suspended${times(d)}${from(d)}`,
  'portal.locked': (d) =>
    `tried too many wrong passwords, and that address was locked out${times(d)}${from(d)}`,
  'person.invite': (d) => `invited ${d.text('email')} as ${d.text('role')}`,
  'person.withdraw': (d) => `took the invitation of ${d.text('email')} back`,
  'person.join': (d) => `joined as ${d.text('role')}`,
  'person.role': (d) => `changed the role of ${d.person} from ${d.text('from')} to ${d.text('to')}`,
  'person.remove': (d) => `removed ${d.person}`,
  'person.reset-factors': (d) => `reset what ${d.person} signs in with`,
  'person.require-factor': (d) =>
    d.text('required') === 'optional'
      ? 'left a second factor to each person'
      : `made a second factor a must (${d.text('required')})`,
  'person.limit': (d) => `let all assistants${d.has('person') ? ` of ${d.person}` : ''} ${d.perDay}`,
  'person.add-factor': (d) => `added a way to sign in: ${d.text('by')}`,
  'person.remove-factor': (d) => `removed a way to sign in: ${d.text('by')}`,
  'person.recovery-codes': () => 'made new recovery codes',
  'person.recovery-code': () => 'used a recovery code',
  'person.password': () => 'changed the password',
  'person.end-sessions': (d) => `ended ${counted(d.number('sessions'), 'session')}`,
  'connection.create': (d) => `let the assistant ${d.assistant} in, to ${mayDo(d)}`,
  'connection.refuse': () => 'refused an assistant',
  'connection.limits': (d) => `let the assistant ${d.assistant} ${mayDo(d)}`,
  'connection.revoke': (d) => `ended the access of the assistant ${d.assistant}`,
  'connection.end': (d) => `ended the access of the assistant ${d.assistant}`,
  'account.create': () => 'made the account',
  'account.edit': (d) => `changed ${edited(d)}`,
  'account.suspend': () => 'suspended the account',
  'account.resume': () => 'resumed the account',
  'account.arrive': () => 'moved the account here',
  'account.leave': () => 'moved the account away',
  'account.set-password': () => 'set a password',
  'account.rotate-secret': () => 'made a new client secret',
  'account.rotate-wallet-token': () => 'made a new wallet token',
  'account.rotate-callback-secret': () => 'made a new callback secret',
  'account.end-key': () => 'ended an old key',
  'account.erase': () => 'erased the account',
  'account.export': () => 'exported the account',
  'account.view': () => 'looked at the console',
  'message.find': () => 'looked for messages',
  'message.show': (d) => `looked at a message${d.toRecipient}`,
  'message.settle': (d) => `decided that a message${d.toRecipient} ended as ${d.text('status')}`,
  'wallet.credit': (d) => `added ${d.money('amount')}${referred(d)}`,
  'wallet.debit': (d) => `took ${d.money('amount')} back${referred(d)}`,
  'wallet.warn': (d) =>
    d.has('below')
      ? `set the wallet to be low below ${d.money('below')}`
      : 'ended the warning of a low wallet',
  'sender.approved': (d) => `approved the sender ID ${d.text('sender')}`,
  'sender.rejected': (d) => `rejected the sender ID ${d.text('sender')}`,
  'sender.pending': (d) => `put the sender ID ${d.text('sender')} back to be decided on`,
  'callback.replay': () => 'posted callbacks again',
  'alert.choose': (d) =>
    `asked to be told ${d.text('told') === 'true' ? '' : 'no more '}when ${chosenAlert(d)}`,
  'alert.know': (d) => `said that the address ${d.text('address')} is known`,
  'alert.mail': (d) => `asked for ${d.text('byMail') === 'true' ? '' : 'no more '}alerts by mail`,
  'sandbox.clock': (d) => `moved the sandbox’s clock forward by ${span(d.number('forwardMs'))}`,
  'sandbox.empty-wallet': (d) => `emptied the wallet of ${d.money('amount')}`,
  'sandbox.start-over': () => 'started the sandbox over',
}

/** A kind of alert, in words. */
function chosenAlert(detail: Detail): string {
  const above = (words: string, otherwise: string) =>
    detail.has('amount') ? `${words} ${detail.money('amount')}` : otherwise
  const words: Readonly<Record<string, string>> = {
    wallet: above('the wallet has less than', 'the wallet is low'),
    spend: above('a day’s spend is more than', 'a day’s spend is high'),
    receiver: 'callbacks are not taken',
    address: 'a key is used from a new address',
  }
  const kind = detail.text('kind')
  return has(words, kind) ? (words[kind] ?? kind) : kind
}

function mayDo(detail: Detail): string {
  if (detail.text('canSend') === '0') return 'read'
  const whom = detail.has('recipients')
    ? `, to ${detail.text('recipients').split(' ').map(detail.known.numberOf).join(', ')} alone`
    : ''
  const unasked = detail.text('unasked') === 'send' ? 'sending' : 'doing nothing'
  return `${detail.perDay}${whom}, and ${unasked} where nobody can be asked`
}

function from(detail: Detail): string {
  return detail.has('address') ? `, from ${detail.text('address')}` : ''
}

function referred(detail: Detail): string {
  return detail.has('reference') ? `, with the reference ${detail.text('reference')}` : ''
}

/** How often it happened within an hour, of what is only counted. */
function times(detail: Detail): string {
  const count = detail.has('times') ? detail.number('times') : 1
  return count === 1 ? '' : `, ${count} times within an hour`
}

/** The operation behind an action, if it is a write; a tool counts as its operation. */
export function operationOf(action: string): string | undefined {
  const [by = '', call = ''] = action.split(' ')
  if (by === 'mcp') return has(BY_TOOL, call) ? BY_TOOL[call] : call
  return by === 'console' || by === 'api' ? call : undefined
}

/** Whether a table has words for what a row says. A row of another version may say something else. */
function has<Name extends string>(table: Readonly<Record<Name, unknown>>, name: string): name is Name {
  return Object.hasOwn(table, name)
}

/** The sentence of an entry, without its subject. */
export function sentenceOf(action: string, fields: Readonly<Record<string, unknown>>, known: Known): string {
  const detail = new Detail(fields, known)
  const operation = operationOf(action)
  if (operation === undefined) return has(SAYINGS, action) ? SAYINGS[action](detail) : action
  const write = has(WRITES, operation) ? WRITES[operation] : { did: () => operation, tried: () => operation }
  const outcome = detail.text('outcome')
  if (outcome === 'done' || outcome === '') return `${write.did(detail)}${askedOf(detail)}`
  if (outcome === 'uncertain')
    return `tried to ${write.tried(detail)}; whether that was done is not known${askedOf(detail)}`
  return `tried to ${write.tried(detail)}, and was refused${reasonOf(outcome)}${times(detail)}${askedOf(detail)}`
}

function reasonOf(outcome: string): string {
  return outcome === 'refused' || outcome === 'failed' ? '' : ` (${outcome.replaceAll('_', ' ')})`
}

/** Answers to the question before a tool call. A program may have answered without asking its user. */
const ANSWERS: Readonly<Record<string, string>> = {
  accept: 'its program answered the question before with yes',
  decline: 'its program answered the question before with no',
  cancel: 'its program closed the question before without an answer',
  none: 'its program failed to ask the question before',
}

function askedOf(detail: Detail): string {
  if (!detail.has('program')) return ''
  const answer = ANSWERS[detail.text('program')]
  return `; ${detail.text('person') === 'not asked' || answer === undefined ? 'nobody was asked' : answer}`
}
