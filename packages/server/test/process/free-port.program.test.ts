import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../support/free-port.process.ts', import.meta.url))
/** So many that two processes which did not see each other would choose some of them both. */
const MANY = 500

async function portsOf(count: number): Promise<number[]> {
  const child = spawn(process.execPath, [PROGRAM, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return JSON.parse(line)
}

it('two processes are given no port in common, and none that the system hands out by itself', async () => {
  const given = (await Promise.all([portsOf(MANY), portsOf(MANY)])).flat()
  expect(new Set(given).size).toBe(2 * MANY)
  expect(Math.max(...given)).toBeLessThan(32_768)
})
