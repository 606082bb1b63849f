import { hostname } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { makePlace } from '../../../support/engine.ts'
import { openGateway } from '../../../support/gateway.ts'

it('one gateway at a time works on an SQLite file: a second one is told which process has it', async () => {
  const { url, remove } = await makePlace('an SQLite file')
  onTestFinished(remove)
  const first = await openGateway({ database: url })
  await expect(openGateway({ database: url })).rejects.toThrow(
    `a gateway works on ${url.slice('file:'.length)} already, process ${process.pid} on ${hostname()}`,
  )
  await first.stop()
  await expect(openGateway({ database: url })).resolves.toMatchObject({ demo: first.demo })
})
