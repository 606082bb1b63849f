import type { components } from '@wigwag/contract/openapi'
import type { Parts } from '../flow/parts.ts'
import type { OperatorContact } from '../kernel/operator-contact.ts'
import { type Identify, walletOf } from '../kernel/principal.ts'
import type { Handler, Handlers } from '../net/server/handler.ts'
import { instant } from '../net/server/paging.ts'
import { identify } from './identify.ts'
import { KeyAddresses } from './key-addresses.ts'
import { KeyUses } from './key-uses.ts'
import { type OwnKey, OwnKeys } from './own-keys.ts'
import { Refusals } from './refusals.ts'
import type { Rotating } from './secrets.ts'
import { SenderRequests, type SenderRow } from './senders.ts'

/** An account as its own people and programs use it: their identity, its keys and its sender IDs. */
export type OwnAccount = ReturnType<typeof openOwnAccount>

export function openOwnAccount(parts: Parts & Rotating & { operator: OperatorContact }) {
  const uses = new KeyUses(parts, parts.fault('keys'))
  const addresses = new KeyAddresses(parts, parts.fault('keys'))
  const keys = new OwnKeys(parts)
  const senders = new SenderRequests(parts)
  const refusals = new Refusals(parts, parts.fault('refusals'))
  const identifying = { ...parts, uses }
  const identifyCaller: Identify = (credentials, walletToken) =>
    identify(identifying, credentials, walletToken)
  return {
    identify: identifyCaller,
    uses,
    addresses,
    keys,
    senders,
    refusals,
    handlers: {
      listSenderIds: listSenderIds(senders),
      requestSenderId: requestSenderId(senders),
      listKeys: listKeys(keys),
      rotateKey: rotateKey(keys),
    } satisfies Partial<Handlers>,
  }
}

function listSenderIds(senders: SenderRequests): Handler<'listSenderIds'> {
  return async ({ principal: { accountId } }) => {
    const all = await senders.list(accountId)
    return { body: { Items: all.map(senderId) } }
  }
}

function requestSenderId(senders: SenderRequests): Handler<'requestSenderId'> {
  return async ({ principal, body }) => ({ body: senderId(await senders.request(principal, body.SenderId)) })
}

function listKeys(keys: OwnKeys): Handler<'listKeys'> {
  return async ({ principal }) => ({ body: { Items: (await keys.list(walletOf(principal))).map(wireKey) } })
}

function rotateKey(keys: OwnKeys): Handler<'rotateKey'> {
  return async ({ principal, path, body }) => {
    const rotated = await keys.rotate(walletOf(principal), path.id, body.KeepOldFor)
    const { key, secret, previousUntil } = rotated
    return { body: { ...wireKey(key), Secret: secret, OldExpiresAt: instant(previousUntil) } }
  }
}

function senderId({ sender, status, createdAt }: SenderRow): components['schemas']['SenderId'] {
  return { SenderId: sender, Status: status, DateCreated: instant(createdAt) }
}

function wireKey({ id, kind, createdAt, usedAt, endsAt }: OwnKey): components['schemas']['Key'] {
  return {
    Id: id,
    Kind: kind,
    DateCreated: instant(createdAt),
    ...(usedAt > 0 && { LastUsed: instant(usedAt) }),
    ...(endsAt > 0 && { ExpiresAt: instant(endsAt) }),
  }
}
