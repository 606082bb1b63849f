import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./lock.process.ts', import.meta.url))

/** Has another process take the write lock of an SQLite file, or keep readers out as well. Returns how to end it. */
export async function lockFile(
  url: string,
  keepsOut: 'writers' | 'readers' = 'writers',
): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [PROGRAM, url.replace(/^file:/, ''), keepsOut], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [first] = await Promise.race([once(child.stdout, 'data'), ended])
  if (String(first) !== 'locked\n') throw new Error('the other process did not get the lock')
  return async function unlock() {
    child.stdin.end()
    await ended
  }
}
