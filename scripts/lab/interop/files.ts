import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Check } from './check.ts'

const run = promisify(execFile)
const DEPLOY = join(import.meta.dirname, '../../../deploy')
/** Of systemd-analyze security: 0 is a service that can do nothing, 10 one that can do everything. */
const MOST_EXPOSED = 2

/** Files in `deploy/`, read by the programs that they are for. */
export async function files(folder: string, check: Check): Promise<void> {
  const unit = join(folder, 'wigwag.service')
  // The check wants a program that is installed.
  const text = await readFile(join(DEPLOY, 'systemd/wigwag.service'), 'utf8')
  await writeFile(unit, text.replace('/usr/local/bin/wigwag', '/bin/true'))

  await check('systemd finds nothing wrong with the unit', async () => {
    const { stderr } = await call('systemd-analyze', ['verify', unit], 'systemd')
    if (stderr.includes(unit)) throw new Error(stderr)
  })
  await check('systemd finds nothing wrong with it as the template of several gateways', async () => {
    const template = join(folder, 'wigwag@.service')
    await writeFile(template, await readFile(unit, 'utf8'))
    const { stderr } = await call('systemd-analyze', ['verify', template], 'systemd')
    if (stderr.includes('wigwag@')) throw new Error(stderr)
  })
  await check(`systemd rates the unit's exposure below ${MOST_EXPOSED}`, async () => {
    const { stdout } = await call('systemd-analyze', ['security', '--offline=true', unit], 'systemd')
    const level = Number(/exposure level for wigwag.service: ([\d.]+)/.exec(stdout)?.[1])
    if (!(level < MOST_EXPOSED)) throw new Error(`expected less than ${MOST_EXPOSED}, got ${level}`)
  })
  await check('Prometheus reads its configuration, and the rules that it names', async () => {
    // Where the container finds the rules, this machine has none.
    const config = await readFile(join(DEPLOY, 'compose/prometheus.yml'), 'utf8')
    const file = join(folder, 'prometheus.yml')
    await writeFile(file, config.replace('/etc/prometheus/rules/', `${join(DEPLOY, 'prometheus')}/`))
    await call('promtool', ['check', 'config', file], 'prometheus')
  })
  await check('Caddy reads the Caddyfile with the settings of compose.postgres.yaml', async () => {
    const env = {
      WIGWAG_PUBLIC_URL: 'https://sms.example.com',
      WIGWAG_GATEWAYS: 'gateway-1:8080 gateway-2:8080',
    }
    const file = join(DEPLOY, 'caddy/Caddyfile')
    await call('caddy', ['validate', '--config', file, '--adapter', 'caddyfile'], 'caddy', {
      HOME: folder,
      ...env,
    })
  })
}

async function call(program: string, args: string[], debian: string, env: Record<string, string> = {}) {
  return run(program, args, { env: { ...process.env, ...env } }).catch((error: unknown) => {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw missing ? new Error(`Install ${program}: apt-get install ${debian}`) : error
  })
}
