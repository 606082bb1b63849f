export { type CapturedCallback, createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
