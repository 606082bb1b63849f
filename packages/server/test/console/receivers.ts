import type { Config } from '../../src/config/config.ts'
import type { OutboundFailure, OutboundResult } from '../../src/net/outbound/port.ts'
import type { Resident, World, WorldOptions } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, call, SINGLE } from '../support/front.ts'

/** A receiver's reaction to a callback: an answer, or a failure before it. */
export type Reaction = { status: number; text?: string } | { failure: OutboundFailure; detail: string }

export interface ReceiversWorld extends World {
  /** How receivers answer from now on. */
  react(reaction: Reaction): void
  /** The callbacks that were posted about a message, in order. */
  postedOf(ticket: string): Posted[]
}

interface Posted {
  headers: Record<string, string>
  body: string
}

/** A world in which the receivers of callbacks answer as they are told. */
export async function openReceivers(
  config: Partial<Config>,
  open: (options: WorldOptions) => Promise<World>,
): Promise<ReceiversWorld> {
  let reaction: Reaction = { status: 200, text: 'ok' }
  const posted: Posted[] = []
  const world = await open({
    config,
    async outbound({ headers, body }) {
      posted.push({ headers, body: Buffer.from(body ?? '').toString() })
      return resultOf(reaction)
    },
  })
  return {
    ...world,
    postedOf: (ticket) => posted.filter(({ body }) => body.includes(ticket)),
    react(next) {
      reaction = next
    },
  }
}

/** A person who can look at messages, while receivers answer that all is well. */
export async function openMessages(world: ReceiversWorld) {
  world.react({ status: 200, text: 'ok' })
  const ama = await world.resident()
  const show = (ticket: string, query = '') => ama.person.visit(`${world.url}/messages/${ticket}${query}`)
  return { ama, show }
}

function resultOf(reaction: Reaction): OutboundResult {
  if ('failure' in reaction) return { kind: 'failure', stage: 'before', ...reaction, latencyMs: 15_004 }
  const body = new TextEncoder().encode(reaction.text ?? '')
  return { kind: 'reply', status: reaction.status, headers: {}, body, truncated: false, latencyMs: 38 }
}

/** A number that the simulated carrier takes and says nothing of. */
export const SILENT = '233241200005'
export const RECEIVER = 'https://shop.example/hooks/sms'

/** Sends a message; gives its ticket. */
export async function sendOne({ url }: World, resident: Resident, fields: object = {}): Promise<string> {
  const body = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', ...fields }
  return ticketOf(await call(url, resident, { path: SINGLE, body }))
}

/** The same, of one that is final, and whose callback, if any, has been posted. */
export async function sendToItsEnd(world: World, resident: Resident, fields: object = {}): Promise<string> {
  const ticket = await sendOne(world, resident, fields)
  await eventually('the message is final', async () => {
    const { Status } = await messageOf(world, resident, ticket)
    return Status !== 'pending'
  })
  if ('CallbackUrl' in fields) await untilAttempts(world, resident, ticket, 1)
  return ticket
}

/** Waits until a message's callback was posted this often, and each time recorded. */
export async function untilAttempts(
  world: World,
  resident: Resident,
  ticket: string,
  attempts: number,
): Promise<void> {
  await eventually(`${attempts} attempts`, async () => {
    const found = await callbackOf(world, resident, ticket)
    return found?.Attempts.length === attempts
  })
}

export async function messageOf({ url }: World, resident: Resident, ticket: string) {
  return JSON.parse((await call(url, resident, { path: `/v1/messages/${ticket}` })).text)
}

export async function callbackOf(
  { url }: World,
  resident: Resident,
  ticket: string,
): Promise<{ Id: string; State: string; Attempts: object[] } | undefined> {
  const { text } = await call(url, resident, { path: `/v1/callbacks?Ticket=${ticket}` })
  return JSON.parse(text).Items[0]
}

/** The audited actions of people on pages, newest last. */
export async function auditOf({ gateway }: World, { accountId }: Resident): Promise<string[]> {
  const rows = await gateway.database.read(({ run }) =>
    run<{ action: string }>(
      `SELECT action FROM audit WHERE actor LIKE 'person:%' AND account_id = $1 AND action LIKE 'console %' ORDER BY id`,
      [accountId],
    ),
  )
  return rows.map(({ action }) => action)
}

function ticketOf({ status, text }: Answer): string {
  if (status !== 200) throw new Error(`not sent: ${text}`)
  return JSON.parse(text).Ticket
}
