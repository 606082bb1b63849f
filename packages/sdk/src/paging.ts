import type { Call } from './calls/call.ts'
import { gatewayError } from './calls/problem.ts'
import { systemClock } from './clock.ts'
import type { OperationId } from './operations.ts'

/**
 * The fields of every page.
 * @example
 * import type { AnyPage, Pages } from '@wigwag/sdk'
 * const isEmpty = async <Page extends AnyPage>(list: Pages<Page>) => (await list.page()).Items.length === 0
 */
export interface AnyPage {
  Items: readonly unknown[]
  NextCursor?: string
}

/**
 * A list that is read page by page as you iterate. `page()` reads a single page.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * for await (const message of sms.searchMessages({ Status: 'failed' })) console.log(message.To)
 * const { Items, NextCursor } = await sms.searchMessages({ Limit: 20 }).page()
 */
export interface Pages<Page extends AnyPage> extends AsyncIterable<Page['Items'][number]> {
  /** Reads one page: the first, or the one that a `NextCursor` names. */
  page(cursor?: string): Call<Page>
}

/** Makes a list from a function that reads one page. */
export function pagesOf<Page extends AnyPage>(
  operation: OperationId,
  read: (cursor: string | undefined) => Call<Page>,
): Pages<Page> {
  return {
    page: read,
    async *[Symbol.asyncIterator]() {
      const seen = new Set<string>()
      let cursor: string | undefined
      do {
        const { data, response } = await read(cursor).withResponse()
        yield* data.Items
        cursor = data.NextCursor
        if (cursor && seen.has(cursor)) {
          const facts = { operation, idempotencyKey: undefined, attempts: seen.size + 1, uncertain: false }
          const said = 'the gateway gave a NextCursor again, so the list would never end'
          throw gatewayError(response, data, facts, systemClock.now(), said)
        }
        if (cursor) seen.add(cursor)
      } while (cursor)
    },
  }
}
