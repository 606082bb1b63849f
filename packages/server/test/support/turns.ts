/** More than any chain of work has steps that waits for nothing but its turn. */
const MANY = 100

/**
 * Lets everything go on that can: turns of the event loop, which a slow machine does as well. For what has arrived at
 * this process already, and for parts on a database in memory and a clock that only tests move, which wait for nothing
 * else.
 */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < MANY; turn++) await new Promise((go) => setImmediate(go))
}
