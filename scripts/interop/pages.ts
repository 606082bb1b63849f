import { execFile } from 'node:child_process'
import { chown, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { operatingPages } from '../test/operating/page.ts'
import { runPage } from '../test/operating/run.ts'
import type { Check } from './check.ts'
import { freePort } from './program.ts'

const run = promisify(execFile)
const MISSING = 'Install PostgreSQL: apt-get install postgresql'

/** The commands of docs/operating that need PostgreSQL's own programs, on Debian's PostgreSQL. */
export async function pages(folder: string, check: Check): Promise<void> {
  const server = await startPostgres(folder)
  try {
    for (const page of operatingPages().filter(({ blocks }) =>
      blocks.some(({ runBy }) => runBy === 'interop'),
    ))
      await check(`each command works, in order: ${page.file}`, async () => {
        const name = page.file.replace(/\W+/g, '_')
        await server.createDatabase(name)
        await runPage(page, { by: 'interop', postgresUrl: `${server.url}/${name}` })
      })
  } finally {
    await server.stop()
  }
}

/** A server that is set up as Debian's is; PostgreSQL refuses to run as root. */
async function startPostgres(folder: string) {
  const programs = await newestPrograms()
  const user = process.getuid?.() === 0 ? await idsOf('postgres') : undefined
  const data = join(folder, 'postgres')
  await mkdir(data)
  if (user) {
    await chown(folder, user.uid, user.gid)
    await chown(data, user.uid, user.gid)
  }
  const port = await freePort()
  const own = { ...user, cwd: data }
  await run(join(programs, 'initdb'), ['--pgdata', data, '--username=postgres', '--auth=trust'], own)
  const options = `-p ${port} -k ${data} -c listen_addresses=127.0.0.1`
  const log = join(data, 'server.log')
  const stopped = ['--pgdata', data, '--mode=immediate', 'stop']
  await run(
    join(programs, 'pg_ctl'),
    ['--pgdata', data, '--log', log, '--options', options, '--wait', 'start'],
    own,
  )
  const url = `postgres://postgres:none@127.0.0.1:${port}`
  return {
    url,
    createDatabase: (name: string) => run('createdb', [`--maintenance-db=${url}/postgres`, name]),
    stop: () => run(join(programs, 'pg_ctl'), stopped, own),
  }
}

async function newestPrograms(): Promise<string> {
  const place = '/usr/lib/postgresql'
  const versions = await readdir(place).catch(() => [])
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1)
  if (newest === undefined) throw new Error(MISSING)
  return join(place, newest, 'bin')
}

async function idsOf(name: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  )
  if (!uid || !gid) throw new Error(MISSING)
  return { uid, gid }
}
