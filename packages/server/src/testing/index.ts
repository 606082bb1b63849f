/** A gateway in memory, for the tests of programs that use Wigwag (`@wigwag/server/testing`). See `sandbox.ts`. */

export { type CapturedCallback, createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
