import type { components } from '@wigwag/contract/openapi'
import type { Handler } from '../platform/http/handler.ts'
import { instant } from '../platform/http/paging.ts'
import { walletOf } from '../platform/http/principal.ts'
import type { SenderRow } from './accounts.ts'
import type { OwnKey, OwnKeys } from './own-keys.ts'
import type { SenderRequests } from './sender-requests.ts'

export function listSenderIds(senders: SenderRequests): Handler<'listSenderIds'> {
  return async ({ principal: { accountId } }) => {
    const all = await senders.list(accountId)
    return { body: { Items: all.map(senderId) } }
  }
}

export function requestSenderId(senders: SenderRequests): Handler<'requestSenderId'> {
  return async ({ principal, body }) => ({ body: senderId(await senders.request(principal, body.SenderId)) })
}

export function listKeys(keys: OwnKeys): Handler<'listKeys'> {
  return async ({ principal }) => ({ body: { Items: (await keys.list(walletOf(principal))).map(wireKey) } })
}

export function rotateKey(keys: OwnKeys): Handler<'rotateKey'> {
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
