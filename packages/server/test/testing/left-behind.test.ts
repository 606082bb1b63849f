import perfHooks from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openGateway } from '../support/gateway.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Nothing of the gateway but this stays in reach. */
async function openAndStop(): Promise<WeakRef<object>[]> {
  const stops: (() => Promise<void>)[] = []
  const { app, database, sandbox } = await openGateway({}, (stop) => stops.push(stop))
  expect((await app.fetch(new Request('http://gateway.invalid/metrics'))).status).toBe(200)
  for (const stop of stops) await stop()
  if (!sandbox) throw new Error('expected a sandbox')
  return [app, database, sandbox].map((part) => new WeakRef<object>(part))
}

it('a gateway that was stopped stays in memory no longer than its program wants it', async () => {
  const left = (await Promise.all([openAndStop(), openAndStop(), openAndStop()])).flat()
  await eventually('none of them is left', () => {
    collectGarbage()
    expect(left.filter((part) => part.deref() !== undefined)).toHaveLength(0)
    return true
  })
})

it('a second gateway starts nothing more that measures Node', async () => {
  await openAndStop()
  const delays = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  onTestFinished(() => delays.mockRestore())
  await openAndStop()
  expect(delays).not.toHaveBeenCalled()
})
