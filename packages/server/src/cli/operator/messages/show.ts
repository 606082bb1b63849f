import { type Micros, toDecimal } from '@wigwag/contract'
import { Argument, Command } from 'commander'
import { isOwnRef } from '../../../delivery/index.ts'
import { isFinal, settlementOf } from '../../../kernel/message.ts'
import { amountOf, money } from '../../../kernel/money/shown.ts'
import type { FollowedMessage } from '../../../messages/history/index.ts'
import { routedHere } from '../../../operate/doctor/index.ts'
import { ticket } from '../../arguments.ts'
import { Failed, lines, type OutputFlags, output, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withAudit, withParts } from '../store.ts'

interface ShowFlags extends StoreFlags, OutputFlags {
  text?: true
}

export function messagesShowCommand(): Command {
  return withJson(withAudit(new Command('show')))
    .description('Show what happened to a message, what its carrier said, what it cost, and its callbacks.')
    .addArgument(new Argument('<ticket>', 'its Ticket').argParser(ticket))
    .option('--text', 'show its text too')
    .addHelpText('after', HELP)
    .action(showMessage)
}

const HELP = `
The audit log keeps which message was shown, and whether its text was. What the
carrier said is not told to its customer, who reads a sentence of the gateway's.`

async function showMessage(ticket: string, flags: ShowFlags): Promise<void> {
  const { found, cost } = await withParts(flags, async ({ messages }, config) => {
    const found = await messages.show(ticket, { text: flags.text === true })
    return { found, cost: found && routedHere(config, found.message, found).cost }
  })
  if (!found) throw new Failed(`${ticket} is no ticket of this gateway, or its message was deleted`)
  output(flags, asJson(found, cost), inWords(found, cost))
}

const iso = (at: number) => new Date(at).toISOString()
const isoOrNull = (at: number | undefined) => (at ? iso(at) : null)
const theirs = ({ references }: FollowedMessage) => references.filter((ref) => !isOwnRef(ref))

function asJson(found: FollowedMessage, cost: Micros | undefined) {
  const { message, waiting, callbacks, timeline } = found
  const { id, status, accountId, sender, recipient, reference, segments, encoding, country, network } =
    message
  return {
    ticket: id,
    status,
    accountId,
    email: found.email,
    sender,
    recipient,
    reference,
    segments,
    encoding,
    country,
    network,
    ...(found.content === undefined ? {} : { text: found.content }),
    createdAt: iso(message.createdAt),
    sendAt: isoOrNull(message.sendAt),
    submittedAt: isoOrNull(found.submittedAt),
    carrier: found.carrier ?? null,
    carrierReferences: theirs(found),
    price: toDecimal(message.price),
    charged: toDecimal(message.cost),
    currency: found.currency,
    carrierCost: cost === undefined ? null : toDecimal(cost),
    customer: found.failureReason ?? null,
    said: message.failureReason,
    waiting: waiting
      ? {
          for: waiting.for,
          uncertain: waiting.unconfirmedSince !== undefined,
          attempts: waiting.attempts,
          nextAt: isoOrNull(waiting.nextAt),
          expiresAt: iso(waiting.expiresAt),
        }
      : null,
    timeline: timeline.map(({ at, ...entry }) => ({ at: iso(at), ...entry })),
    callbacks: callbacks.map(({ id, url, state, createdAt, nextAttemptAt, attempts }) => ({
      id,
      url,
      state,
      createdAt: iso(createdAt),
      nextAttemptAt: isoOrNull(nextAttemptAt),
      attempts: attempts.map(({ seq, startedAt, latencyMs, httpStatus, errorClass, reply }) => ({
        attempt: seq,
        at: iso(startedAt),
        latencyMs,
        httpStatus,
        error: errorClass,
        reply,
      })),
    })),
  }
}

function inWords(found: FollowedMessage, cost: Micros | undefined): string {
  const steps = found.timeline.map(({ at, event, detail }) => [iso(at), event, detail ?? ''])
  const parts = [factsOf(found, cost), table(['TIME', 'EVENT', 'DETAIL'], steps)]
  for (const { id, state, url, nextAttemptAt, attempts } of found.callbacks) {
    const next = nextAttemptAt === undefined ? [] : [['next attempt', iso(nextAttemptAt)] as const]
    parts.push(lines([['callback', id], ['to', url], ['state', state], ...next]))
    const cells = attempts.map(({ seq, startedAt, latencyMs, httpStatus, errorClass, reply }) => [
      iso(startedAt),
      seq,
      httpStatus ?? errorClass ?? '',
      `${latencyMs} ms`,
      beginning(reply ?? ''),
    ])
    if (cells.length > 0) parts.push(table(['TIME', 'ATTEMPT', 'ANSWER', 'TOOK', 'REPLY'], cells))
  }
  return parts.join('\n\n')
}

function factsOf(found: FollowedMessage, cost: Micros | undefined): string {
  const { message, content, email, currency, carrier, submittedAt, failureReason, waiting } = found
  const { id, status, accountId, sender, recipient, reference, segments, encoding, country, network } =
    message
  const said = message.failureReason
  return lines([
    ['ticket', id],
    ['status', status],
    ['account', email === null ? accountId : `${accountId} ${email}`],
    ['sender', sender],
    ['recipient', `${recipient} ${[country, network ?? ''].join(' ')}`.trimEnd()],
    ['reference', reference || '(none)'],
    ['segments', `${segments}, ${encoding}`],
    ...(content === undefined ? [] : [['text', content] as const]),
    ['carrier', carrier ?? '(none)'],
    ['its reference', theirs(found).join(' ') || '(none)'],
    ['submitted', submittedAt === 0 ? 'not yet, or not known' : iso(submittedAt)],
    ['price', `${money(message.price, currency)}, ${moneyOf(found)}`],
    ['carrier’s cost', cost === undefined ? '(not known)' : `${amountOf(cost)}, as the routes say now`],
    ...(waiting ? [['waits', waitsFor(waiting)] as const] : []),
    ...(said === null && failureReason === undefined
      ? []
      : ([
          ['its customer reads', failureReason ?? '(nothing)'],
          ['stored', said ?? '(nothing)'],
        ] as const)),
  ])
}

function moneyOf({ message: { status } }: FollowedMessage): string {
  if (!isFinal(status)) return 'held'
  return settlementOf(status) === 'post' ? 'charged' : 'released'
}

function waitsFor(waiting: NonNullable<FollowedMessage['waiting']>): string {
  const { attempts, nextAt, expiresAt } = waiting
  const until = `; expires ${iso(expiresAt)}`
  if (waiting.for === 'scheduled') return `for its time${until}`
  if (waiting.unconfirmedSince !== undefined)
    return `uncertain: the carrier never said whether it took it${until}`
  if (waiting.for === 'await') return `for its receipt${until}`
  const tried = attempts === 0 ? '' : `, not taken ${attempts === 1 ? 'once' : `${attempts} times`}`
  return `to be submitted${tried}, ${nextAt === undefined ? 'under way now' : `next at ${iso(nextAt)}`}${until}`
}

const MOST_OF_A_REPLY = 60

function beginning(reply: string): string {
  return reply.length > MOST_OF_A_REPLY ? `${reply.slice(0, MOST_OF_A_REPLY)}…` : reply
}
