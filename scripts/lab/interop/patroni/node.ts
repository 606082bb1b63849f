import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'
import { filled } from '../deployed.ts'
import { type Ids, type Program, startProgram } from '../program.ts'
import { familyOf, signalAll } from './family.ts'
import { openLink } from './link.ts'

export const PASSWORD = 'of-the-lab'
const MISSING = 'Install Patroni: apt-get install patroni etcd-server haproxy postgresql'

export interface NodeOptions {
  folder: string
  name: string
  /** Where PostgreSQL's own programs are. */
  programs: string
  user: Ids | undefined
  etcdPort: number
}

export type Node = Awaited<ReturnType<typeof startNode>>

/** A machine with Patroni and its PostgreSQL, which others reach by links alone, as it reaches etcd. */
export async function startNode({ folder, name, programs, user, etcdPort }: NodeOptions) {
  const [postgresPort, restPort] = [await freePort(), await freePort()]
  const [postgres, rest, etcd] = [
    await openLink(postgresPort),
    await openLink(restPort),
    await openLink(etcdPort),
  ]
  const links = [postgres, rest, etcd]
  const data = join(folder, name)
  const config = join(folder, `${name}.yml`)
  await writeFile(
    config,
    await filled('patroni/patroni.yml', [
      ['name: db-a', `name: ${name}`],
      [
        'hosts: 10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379',
        `hosts: 127.0.0.1:${etcd.port}\n  use_proxies: true`,
      ],
      ['listen: 0.0.0.0:8008', `listen: 127.0.0.1:${restPort}`],
      ['connect_address: 10.0.0.11:8008', `connect_address: 127.0.0.1:${rest.port}`],
      ['listen: 0.0.0.0:5432', `listen: 127.0.0.1:${postgresPort}`],
      ['connect_address: 10.0.0.11:5432', `connect_address: 127.0.0.1:${postgres.port}`],
      ['/var/lib/postgresql/wigwag', data],
      ['/var/lib/postgresql/patroni.pgpass', join(folder, `${name}.pgpass`)],
      ['/usr/lib/postgresql/15/bin', programs],
      ['change-me-superuser', PASSWORD],
      ['change-me-replicator', PASSWORD],
      ['10.0.0.0/24', '127.0.0.1/32'],
      ['    wal_log_hints', `    unix_socket_directories: ${folder}\n        wal_log_hints`],
    ]),
  )
  let patroni: Program | undefined

  /** Patroni, and PostgreSQL with all its processes. */
  function processes(): number[] {
    return [...(patroni ? familyOf(patroni.pid) : []), ...postgresProcesses()]
  }
  function postgresProcesses(): number[] {
    const pid = serverOf(data)
    return pid === undefined ? [] : familyOf(pid)
  }
  const killLast = () => signalAll(processes(), 'SIGKILL')
  process.once('exit', killLast)

  async function start(): Promise<void> {
    patroni = await startProgram('patroni', [config], {
      cwd: folder,
      as: user,
      env: { HOME: folder, LC_ALL: 'C.UTF-8' },
      missing: MISSING,
    })
  }
  await start()

  return {
    name,
    config,
    /** Where others reach them. */
    postgresPort: postgres.port,
    restPort: rest.port,
    haproxyPorts: { postgres: postgres.port, rest: rest.port },
    lines: () => patroni?.lines() ?? [],
    start,
    /** As when the machine loses its power, but that the system closes the connections. */
    kill: () => signalAll(processes(), 'SIGKILL'),
    killPostgres: () => signalAll(postgresProcesses(), 'SIGKILL'),
    freeze: () => signalAll(processes(), 'SIGSTOP'),
    resume: () => signalAll(processes(), 'SIGCONT'),
    cut: () => {
      for (const link of links) link.cut()
    },
    /** Cuts the request by which a primary without etcd asks the other nodes whether it may go on. */
    cutFailsafe: () => rest.cutWhatBegins('POST /failsafe'),
    mend: () => {
      for (const link of links) link.mend()
    },
    async stop() {
      signalAll(processes(), 'SIGCONT')
      await patroni?.stop()
      signalAll(postgresProcesses(), 'SIGKILL')
      process.off('exit', killLast)
      await Promise.all(links.map((link) => link.close()))
    },
  }
}

/** The process of the server whose data is in a folder. */
function serverOf(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}
