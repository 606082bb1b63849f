import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/** A message of Node's between the processes of a cluster. */
interface OfCluster {
  seq?: unknown
  ack?: unknown
}

/**
 * Closes the connections that a process was given and did not take before it ended. Node (24) keeps them open for ever, and
 * their clients wait. To see them, what Node sends to the process is watched.
 */
export function closeUntaken(child: ChildProcess): void {
  const given = new Map<unknown, Handle>()
  const { send } = child
  Object.assign(child, {
    send(...args: [message: OfCluster, ...unknown[]]): unknown {
      const [{ seq }, handle] = args
      if (seq !== undefined && isHandle(handle)) given.set(seq, handle)
      return Reflect.apply(send, child, args)
    },
  })
  // Taken, or sent back to be given to another process.
  child.on('internalMessage', ({ ack }: OfCluster) => given.delete(ack))
  child.once('exit', () => {
    for (const handle of given.values()) handle.close()
  })
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}
