import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import type { IConfigMap } from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runProgram, startProgram, temporaryFolder } from '../../../packages/server/test/cli/program.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { manifests } from './manifests.ts'
import { deploy } from './settings.ts'

const folder = temporaryFolder()

/** As compose fills in what `.env` does not have. */
async function ofCompose(file: string, service: string): Promise<Record<string, string>> {
  const text = (await readFile(join(deploy, file), 'utf8')).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
  return parse(text, { merge: true }).services[service].environment
}

async function ofKubernetes(): Promise<Record<string, string>> {
  const found = (await manifests()).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'wigwag',
  ) as IConfigMap | undefined
  return found?.data ?? {}
}

function ask(
  port: number,
  host: string,
): Promise<{ status: number | undefined; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, location: response.headers.location })
    })
      .once('error', reject)
      .end()
  })
}

describe.each([
  ['compose.yaml', () => ofCompose('compose.yaml', 'gateway'), '0.0.0.0'],
  ['compose.postgres.yaml', () => ofCompose('compose.postgres.yaml', 'gateway-1'), '0.0.0.0'],
  ['Kubernetes', ofKubernetes, undefined],
])('the desk of %s', (name, settings, host) => {
  it('answers under the address that people open through a published or forwarded port', async () => {
    const shipped = await settings()
    expect(shipped).toMatchObject({ WIGWAG_OPERATOR_PORT: '8081' })
    expect(shipped.WIGWAG_OPERATOR_HOST).toBe(host)
    const port = await freePort()
    const desk = Object.entries(shipped).filter(([key]) => key.startsWith('WIGWAG_OPERATOR_'))
    const env = {
      WIGWAG_ENV: 'production',
      WIGWAG_SECRET: 'x'.repeat(32),
      WIGWAG_CARRIER: 'simulator',
      WIGWAG_PORT: '0',
      WIGWAG_METRICS_PORT: '0',
      WIGWAG_DATABASE_URL: `file:${join(folder, `${name.replaceAll(/\W/g, '-')}.db`)}`,
      ...Object.fromEntries(desk.map(([key, value]) => [key, value.replace('8081', String(port))])),
    }
    const serving = startProgram(['serve'], { cwd: folder, env })
    const said = await eventually('it listens', () => {
      if (serving.child.exitCode !== null) throw new Error(serving.stderr())
      return /^\{.*Wigwag is listening.*$/m.exec(serving.stderr())?.[0]
    })
    const address = `http://localhost:${port}`
    expect(JSON.parse(said)).toMatchObject({ operators: `${address}/` })
    const { status, location = '' } = await ask(port, `localhost:${port}`)
    expect([status, location]).not.toEqual([302, address])
    expect(location).not.toContain('//')
    const added = await runProgram(['operator', 'add', 'ada', '--role', 'act'], { cwd: folder, env })
    expect(added.stdout).toContain(`${address}/enter#`)
    serving.child.kill('SIGTERM')
    await serving.ended
  })
})
