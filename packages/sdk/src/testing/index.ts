export { fakeCall } from './fake-call.ts'
export {
  createFakeClient,
  type FakeCall,
  type FakeClient,
  type FakeFailure,
  type FakeOptions,
} from './fake-client.ts'
export type { FakeProblem } from './fake-gateway.ts'
export { type SignedCallback, signedCallback } from './signed-callback.ts'
