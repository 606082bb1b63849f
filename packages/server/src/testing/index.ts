/** A gateway in memory, for the tests of programs that use Wigwag (`@wigwag/server/testing`). See `sandbox.ts`. */
import { nodeTooOld } from '@wigwag/contract'
import type { Sandbox, SandboxOptions } from './sandbox.ts'

export type { CapturedCallback, Sandbox, SandboxOptions, WrittenFaults } from './sandbox.ts'

/** Starts a sandbox. Close it at the end of the test. It needs Node 22.18 or newer, as the gateway does. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const refusal = nodeTooOld('@wigwag/server/testing')
  if (refusal !== undefined) throw new Error(`${refusal}, and run the tests with it.`)
  const { openSandbox } = await import('./sandbox.ts')
  return openSandbox(options)
}
