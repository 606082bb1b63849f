import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox, type Sandbox } from '../../../server/src/testing/index.ts'
import { listen } from '../conformance/listen.ts'

export interface OpenGateway {
  sandbox: Sandbox
  /** A folder for whatever a connector or its client keeps at home. */
  home: string
  /** What a connector in a process of its own needs to reach the gateway. */
  env: Record<string, string>
  close(): Promise<void>
}

/** A gateway in memory that other processes reach. */
export async function openGateway(): Promise<OpenGateway> {
  const home = await mkdtemp(join(tmpdir(), 'wigwag-connector-'))
  const sandbox = await createSandbox()
  const { port, close } = await listen(sandbox.fetch)
  const { clientId, clientSecret, walletToken } = sandbox.credentials
  return {
    sandbox,
    home,
    env: {
      HOME: home,
      WIGWAG_BASE_URL: `http://127.0.0.1:${port}`,
      WIGWAG_CLIENT_ID: clientId,
      WIGWAG_CLIENT_SECRET: clientSecret,
      WIGWAG_WALLET_TOKEN: walletToken,
    },
    async close() {
      await close()
      await sandbox.close()
      await rm(home, { recursive: true })
    },
  }
}
