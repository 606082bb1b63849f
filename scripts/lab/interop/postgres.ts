import { execFile } from 'node:child_process'
import { chown, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import type { Ids } from './program.ts'

const run = promisify(execFile)
const MISSING = 'Install PostgreSQL: apt-get install postgresql'

/** A server that is set up as Debian's is; PostgreSQL refuses to run as root. */
export async function startPostgres(folder: string) {
  const programs = await newestPrograms()
  const user = await userOfServers()
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
    urlOf: (name: string) => `${url}/${name}`,
    createDatabase: (name: string) => run('createdb', [`--maintenance-db=${url}/postgres`, name]),
    dump: (name: string, file: string) =>
      run(join(programs, 'pg_dump'), ['--format=custom', `--file=${file}`, `--dbname=${url}/${name}`]),
    restore: (file: string, name: string) =>
      run(join(programs, 'pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${url}/${name}`, file]),
    stop: () => run(join(programs, 'pg_ctl'), stopped, own),
  }
}

/** PostgreSQL refuses to run as root, so it runs as Debian's user for it there. */
export async function userOfServers(): Promise<Ids | undefined> {
  return process.getuid?.() === 0 ? idsOf('postgres') : undefined
}

export async function newestPrograms(): Promise<string> {
  const place = '/usr/lib/postgresql'
  const versions = await readdir(place).catch(() => [])
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1)
  if (newest === undefined) throw new Error(MISSING)
  return join(place, newest, 'bin')
}

async function idsOf(name: string): Promise<Ids> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  )
  if (!uid || !gid) throw new Error(MISSING)
  return { uid, gid }
}
