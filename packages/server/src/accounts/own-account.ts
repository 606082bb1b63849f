import type { Handlers } from '../platform/http/handler.ts'
import type { Parts } from '../platform/parts.ts'
import { createIdentify } from './identify.ts'
import { createKeyUses, type KeyUses } from './key-uses.ts'
import { createOwnKeys, type OwnKeys } from './own-keys.ts'
import type { RotateParts } from './rotate.ts'
import { listKeys, listSenderIds, requestSenderId, rotateKey } from './routes.ts'
import { createSenderRequests, type SenderRequests } from './sender-requests.ts'

export interface OwnAccountParts extends Parts, Omit<RotateParts, 'newId'> {}

/** What an account is to its own people and programs: who they are, its keys and its sender IDs. */
export interface OwnAccount {
  identify: ReturnType<typeof createIdentify>
  uses: KeyUses
  keys: OwnKeys
  senders: SenderRequests
  handlers: Pick<Handlers, 'listSenderIds' | 'requestSenderId' | 'listKeys' | 'rotateKey'>
}

export function createOwnAccount(parts: OwnAccountParts): OwnAccount {
  const uses = createKeyUses({ ...parts, onFault: parts.fault('keys') })
  const keys = createOwnKeys(parts)
  const senders = createSenderRequests(parts)
  return {
    identify: createIdentify({ ...parts, uses }),
    uses,
    keys,
    senders,
    handlers: {
      listSenderIds: listSenderIds(senders),
      requestSenderId: requestSenderId(senders),
      listKeys: listKeys(keys),
      rotateKey: rotateKey(keys),
    },
  }
}
