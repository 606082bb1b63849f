import { createClient } from '@wigwag/sdk'
import { type Inbox, openInbox } from './inbox.ts'

/**
 * An inbox for each test of Playwright: `const test = base.extend<{ inbox: Inbox }>(inboxFixture)`. Its client takes the
 * gateway and the credentials from the environment.
 * @example
 * import { type Inbox, inboxFixture } from '@wigwag/sdk/testing'
 * // As Playwright does for a test that asks for `inbox`:
 * await inboxFixture.inbox({}, async (inbox: Inbox) => console.log(await inbox.now()))
 */
export const inboxFixture: {
  inbox: (others: object, use: (inbox: Inbox) => Promise<void>) => Promise<void>
} = {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures this one needs.
  inbox: async ({}, use) => use(await openInbox(createClient())),
}
