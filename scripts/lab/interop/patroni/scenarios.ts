import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Node } from './node.ts'

/** Longer than Patroni's ttl, so that a leader that was not heard of would have lost its place. */
const PAST_TTL_MS = 25_000

export interface Scenario {
  name: string
  /** Acts on the cluster. Resolves when the action is done. */
  make(cluster: Cluster): Promise<void>
  /** Brings back what was lost, while clients send. */
  undo(cluster: Cluster): Promise<void>
}

const none = async () => {}

/** To the leader of the moment, and the same node again afterwards. */
function toLeader(
  name: string,
  make: (leader: Node, cluster: Cluster) => unknown,
  undo: (node: Node, cluster: Cluster) => unknown,
): Scenario {
  let hit: Node | undefined
  return {
    name,
    async make(cluster) {
      hit = await cluster.leader()
      if (!hit) throw new Error('there is no leader')
      await make(hit, cluster)
    },
    async undo(cluster) {
      if (hit) await undo(hit, cluster)
    },
  }
}

export const scenarios: readonly Scenario[] = [
  toLeader(
    'the primary is killed (SIGKILL)',
    (node) => node.kill(),
    (node) => node.start(),
  ),
  toLeader('its PostgreSQL alone is killed', (node) => node.killPostgres(), none),
  toLeader(
    'the primary is frozen (SIGSTOP)',
    (node) => node.freeze(),
    (node) => node.resume(),
  ),
  toLeader(
    'the primary is cut off',
    (node, { nodes }) => {
      node.cut()
      for (const other of nodes) if (other !== node) other.cutFailsafe()
    },
    (_, { nodes }) => {
      for (const each of nodes) each.mend()
    },
  ),
  {
    name: 'a switchover on purpose',
    async make(cluster) {
      const [from, to] = [await cluster.leader(), await cluster.standby()]
      if (!from || !to) throw new Error('expected a leader and a standby')
      await cluster.switchOver(from, to)
    },
    undo: none,
  },
  standbyLost(
    'the synchronous standby is killed',
    (node) => node.kill(),
    (node) => node.start(),
  ),
  standbyLost(
    'the synchronous standby is frozen',
    (node) => node.freeze(),
    (node) => node.resume(),
  ),
  {
    name: 'etcd is killed',
    async make({ etcd }) {
      await etcd.kill()
      await pause(PAST_TTL_MS)
    },
    undo: ({ etcd }) => etcd.start(),
  },
]

function standbyLost(name: string, make: (node: Node) => void, undo: (node: Node) => unknown): Scenario {
  let hit: Node | undefined
  return {
    name,
    async make(cluster) {
      hit = await cluster.standby()
      if (!hit) throw new Error('there is no synchronous standby')
      make(hit)
    },
    async undo() {
      if (hit) await undo(hit)
    },
  }
}
