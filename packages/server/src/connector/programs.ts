import { createGate, type Identity, type Limits } from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import type { Context } from 'hono'
import { insideOf } from './inside.ts'
import { journalOf } from './journal.ts'
import type { ConnectorOptions } from './options.ts'

/** Knows the account's own programs by the credentials of the REST API. What they may spend is the operator's to say. */
export function createProgramIdentify(options: ConnectorOptions): (c: Context) => Promise<Identity> {
  const { settings, clock, identify, decide, audit } = options
  const { dailySpend, dailyMessages, recipients } = settings
  const limits: Limits = { dailySpend, dailyMessages, recipients }

  return async function identifyProgram(c) {
    const { accountId, ...credentials } = await identify(c)
    const connection = `client:${credentials.clientId}`
    const gate = createGate({
      connection,
      limits,
      journal: journalOf(decide.client, credentials.clientId),
      audit: (line) => audit(accountId, line),
      now: clock.now,
    })
    const client = createClient({ ...insideOf(options), ...credentials })
    return { connection, client, gate, canSend: limits.dailySpend !== undefined }
  }
}
