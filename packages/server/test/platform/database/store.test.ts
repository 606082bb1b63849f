import { describe } from 'vitest'
import { mcpJournal } from '../../assistants/mcp-journal.ts'
import { carrierRefs } from '../../delivery/finish/carrier-refs.ts'
import { wallets } from '../../money/wallets.ts'
import { acceptedMessages } from '../../sending/accepted-messages.ts'
import { replies } from '../../sending/replies.ts'
import { type EngineName, useStore } from '../../support/engine.ts'
import { outbox } from '../jobs/outbox.ts'
import { owners } from '../jobs/owners.ts'
import { builder } from './builder.ts'
import { migrations } from './migrations.ts'
import { rows } from './rows.ts'
import { scopes } from './scopes.ts'
import { upserts } from './upserts.ts'

/** The promises of every engine. */
function storeSuite(engine: EngineName): void {
  describe(`a store on ${engine}`, () => {
    migrations(engine)
    const store = useStore(engine)
    scopes(store)
    rows(store)
    builder(store)
    upserts(store)
    outbox(store)
    owners(store)
    acceptedMessages(store)
    replies(store)
    wallets(store)
    mcpJournal(store)
    carrierRefs(store)
  })
}

for (const engine of ['an SQLite file', 'SQLite in memory', 'PostgreSQL'] as const) storeSuite(engine)
