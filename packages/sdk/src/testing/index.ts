export { fakeCall } from './fake-call.ts'
export {
  createFakeClient,
  type FakeCall,
  type FakeClient,
  type FakeFailure,
  type FakeOptions,
} from './fake-client.ts'
export type { FakeProblem } from './fake-gateway.ts'
export {
  type Inbox,
  type MessageCursor,
  MessageTimeoutError,
  openInbox,
  type ReceivedMessage,
  type WaitForMessage,
} from './inbox.ts'
export { inboxFixture } from './inbox-fixture.ts'
export { type SignedCallback, signedCallback } from './signed-callback.ts'
