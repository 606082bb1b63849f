import { execFile } from 'node:child_process'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../../../packages/server/test/support/free-port.ts'
import { filled } from '../deployed.ts'
import { newestPrograms, userOfServers } from '../postgres.ts'
import { eventually, listens, type Program, startProgram } from '../program.ts'
import { type Node, PASSWORD, startNode } from './node.ts'

const run = promisify(execFile)
/** A machine that comes back may have to be copied again. */
const WITHIN_MS = 180_000
const NAMES = ['db-a', 'db-b', 'db-c']

interface Member {
  name: string
  role: string
  state: string
  lag?: number | 'unknown'
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** etcd, three nodes of Patroni and HAProxy, from the files in `deploy/patroni`. */
export async function startCluster(folder: string) {
  const [programs, user] = [await newestPrograms(), await userOfServers()]
  if (user) await chown(folder, user.uid, user.gid)
  const etcd = await startEtcd(folder)
  const nodes: Node[] = []

  /** All members, as the first node to answer lists them. */
  async function members(): Promise<Member[]> {
    const answers = nodes.map(async ({ restPort }) => {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      })
      return ((await response.json()) as { members: Member[] }).members
    })
    return Promise.any(answers)
  }

  async function withRole(role: string): Promise<Node | undefined> {
    const member = (await members()).find((each) => each.role === role)
    return nodes.find(({ name }) => name === member?.name)
  }
  const leader = () => withRole('leader')

  /** Waits for what Patroni does, and says what it last said when it does not. */
  const within = <T>(what: string, ask: () => Promise<T | undefined>): Promise<T> =>
    eventually(what, () => ask().catch(() => undefined), WITHIN_MS).catch(async (error: Error) => {
      const said = nodes.flatMap(({ name, lines }) => [`${name}:`, ...lines().filter(isOfPatroni).slice(-8)])
      const seen = JSON.stringify(await members().catch(String))
      throw new Error([error.message, seen, ...said].join('\n'))
    })

  for (const name of NAMES) {
    nodes.push(await startNode({ folder, name, programs, user, etcdPort: etcd.port }))
    // The first makes the cluster, and the others follow it.
    if (nodes.length === 1) await within('a leader', leader)
  }
  const haproxy = await startHaproxy(folder, nodes)

  async function isWhole(): Promise<boolean> {
    const all = await members()
    const roles = all.map(({ role }) => role).sort()
    const follows = ({ role, state, lag }: Member) =>
      role === 'leader' ? state === 'running' : /running|streaming/.test(state) && lag === 0
    return `${roles}` === 'leader,replica,sync_standby' && all.every(follows)
  }

  const addressOf = (hosts: string, user: string, password: string, name: string, options = '') =>
    `postgres://${user}:${password}@${hosts}/${name}${options}`
  const hosts = nodes.map(({ postgresPort }) => `127.0.0.1:${postgresPort}`)

  return {
    nodes,
    etcd,
    haproxy,
    /** As a superuser, on the node itself. */
    administer: (node: Node, name: string) =>
      addressOf(`127.0.0.1:${node.postgresPort}`, 'postgres', PASSWORD, name),
    addresses: (user: string, password: string, name: string) => ({
      'over HAProxy': addressOf(`127.0.0.1:${haproxy.port}`, user, password, name),
      'several hosts': addressOf(hosts.join(','), user, password, name, '?target_session_attrs=read-write'),
    }),
    leader,
    standby: () => withRole('sync_standby'),
    /** Waits until each node has its part again. */
    whole: () =>
      within(
        'a leader, a synchronous standby and one more that follows',
        async () => (await isWhole()) || undefined,
      ),
    async switchOver(from: Node, to: Node) {
      const asked = ['--primary', from.name, '--candidate', to.name, '--force']
      await run('patronictl', ['-c', from.config, 'switchover', 'wigwag', ...asked], {
        ...user,
        cwd: folder,
        env: { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' },
      })
    },
    async stop() {
      await haproxy.stop()
      // The leader last: what it stops would make others leaders.
      await Promise.all(nodes.map((node) => node.stop()))
      await etcd.stop()
    },
  }
}

async function startEtcd(folder: string) {
  const [port, peerPort] = [await freePort(), await freePort()]
  const own = `http://127.0.0.1:${peerPort}`
  const text = await filled('patroni/etcd', [
    ['/var/lib/etcd/wigwag', join(folder, 'etcd')],
    ['http://10.0.0.11:2379,http://127.0.0.1:2379', `http://127.0.0.1:${port}`],
    ['http://10.0.0.11:2379', `http://127.0.0.1:${port}`],
    [',db-b=http://10.0.0.12:2380,db-c=http://10.0.0.13:2380', ''],
    ['http://10.0.0.11:2380', own],
  ])
  const env = Object.fromEntries(
    text.split('\n').flatMap((line) => (/^[A-Z]/.test(line) ? [pairOf(line)] : [])),
  )
  await mkdir(join(folder, 'etcd'), { mode: 0o700 })
  let program: Program
  async function start(): Promise<void> {
    program = await startProgram('etcd', ['--log-level=error'], {
      cwd: folder,
      env,
      missing: 'Install etcd: apt-get install etcd-server',
    })
    // Patroni ends when the members have not decided on their version yet.
    await eventually('etcd has a version', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/version`).catch(() => undefined)
      const version = (await response?.json()) as { etcdcluster: string } | undefined
      return /^\d/.test(version?.etcdcluster ?? '') || undefined
    })
  }
  await start()
  return { port, start, kill: () => program.kill(), stop: () => program.stop() }
}

/** PostgreSQL's own lines have their time zone. */
function isOfPatroni(line: string): boolean {
  return / (INFO|WARNING|ERROR): /.test(line) && !line.includes(' UTC ')
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}

async function startHaproxy(folder: string, nodes: readonly Node[]) {
  const port = await freePort()
  const servers = nodes.map(({ name, postgresPort, restPort }, index): [string, string] => [
    `server ${name} 10.0.0.1${index + 1}:5432`,
    `server ${name} 127.0.0.1:${postgresPort} port ${restPort}`,
  ])
  const config = join(folder, 'haproxy.cfg')
  await writeFile(
    config,
    await filled('patroni/haproxy.cfg', [['127.0.0.1:5000', `127.0.0.1:${port}`], ...servers]),
  )
  const program = await startProgram('haproxy', ['-db', '-f', config], {
    cwd: folder,
    missing: 'Install HAProxy: apt-get install haproxy',
  })
  await listens(port)
  return { ...program, port }
}

/** Runs statements in a database, each on its own. */
export async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
