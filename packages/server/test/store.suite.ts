import { describe } from 'vitest'
import { acceptedMessages } from './store/accepted-messages.ts'
import { connectorJournal } from './store/connector-journal.ts'
import { type EngineName, useStore } from './store/engine.ts'
import { migrations } from './store/migrations.ts'
import { outbox } from './store/outbox.ts'
import { replies } from './store/replies.ts'
import { rows } from './store/rows.ts'
import { scopes } from './store/scopes.ts'
import { wallets } from './store/wallets.ts'

/** What every engine promises. */
export function storeSuite(engine: EngineName): void {
  describe(`a store on ${engine}`, () => {
    migrations(engine)
    const store = useStore(engine)
    scopes(store)
    rows(store)
    outbox(store)
    acceptedMessages(store)
    replies(store)
    wallets(store)
    connectorJournal(store)
  })
}
