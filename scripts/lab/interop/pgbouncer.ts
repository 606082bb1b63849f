import { deepStrictEqual as equal } from 'node:assert'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { startGateway } from '../bench/rig/gateways.ts'
import { demoHeaders } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { send } from './load.ts'
import { startPostgres } from './postgres.ts'
import { eventually, listens, type Program, startProgram } from './program.ts'

type Mode = 'session' | 'transaction' | 'statement'

/** Where PgBouncer is told to drop options, they are lost on a connection, which would be of another schema. */
const OPTIONS = `?options=${encodeURIComponent('-c search_path=own')}`

/**
 * The gateway behind a pooler: it works with sessions of its own, and refuses in a sentence what shares them or drops their
 * settings.
 */
export async function pgbouncer(folder: string, check: Check): Promise<void> {
  const server = await startPostgres(folder)
  const { hostname, port, username } = new URL(server.urlOf('postgres'))
  const env = { WIGWAG_SECRET: 'the same secret for both kinds of pooler' }

  async function pooled(mode: Mode): Promise<Program & { url: string }> {
    const [config, users, at] = [join(folder, `${mode}.ini`), join(folder, 'users.txt'), await freePort()]
    await writeFile(users, `"${username}" ""\n`)
    await writeFile(
      config,
      `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${at}\n` +
        `unix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\n` +
        'ignore_startup_parameters = options\n',
    )
    const asOther = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
    const pooler = await startProgram('pgbouncer', [...asOther, config], {
      cwd: folder,
      missing: 'Install PgBouncer: apt-get install pgbouncer',
    })
    await listens(at)
    return { ...pooler, url: `postgres://${username}:none@127.0.0.1:${at}/${mode}` }
  }

  const created = new Set<Mode>()
  async function through(mode: Mode, use: (url: string) => Promise<void>): Promise<void> {
    if (!created.has(mode)) await server.createDatabase(mode)
    created.add(mode)
    const pooler = await pooled(mode)
    await use(pooler.url).finally(pooler.stop)
  }

  /** The error of a gateway that must not start. */
  const refusal = (url: string): Promise<string> =>
    startGateway(folder, { ...env, WIGWAG_DATABASE_URL: url }).then(async (gateway) => {
      await gateway.stop()
      return 'it started'
    }, String)

  try {
    await check('with pool_mode = session, a message is taken and becomes final', () =>
      through('session', async (url) => {
        const gateway = await startGateway(folder, { ...env, WIGWAG_DATABASE_URL: url })
        try {
          const [base, headers] = [`http://127.0.0.1:${gateway.port}`, demoHeaders(gateway)]
          const ticket = await send(base, headers, 'through-a-pooler')
          await eventually('the message is final', async () => {
            const response = await fetch(`${base}/v1/messages/${ticket}`, { headers })
            return /"Success"/i.test(await response.text()) || undefined
          })
        } finally {
          await gateway.stop()
        }
      }),
    )
    for (const mode of ['transaction', 'statement'] as const)
      await check(`with pool_mode = ${mode}, the gateway says what to change and ends`, () =>
        through(mode, async (url) => {
          const said = await refusal(url)
          equal(/Set pool_mode = session in PgBouncer/.exec(said)?.length, 1, said)
        }),
      )
    await check(
      'with ignore_startup_parameters = options, it says that those in the address are dropped',
      () =>
        through('session', async (url) => {
          const said = await refusal(url + OPTIONS)
          equal(/expected search_path .*ignore_startup_parameters of PgBouncer/.exec(said)?.length, 1, said)
        }),
    )
  } finally {
    await server.stop()
  }
}
