import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { freePort } from '../support/free-port.ts'
import { serving } from './server.ts'

it('a gateway whose log is on a full disk answers, and stops when it is asked to', async () => {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-full-log-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const port = String(await freePort())
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [...serving().slice(0, -1), port], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, WIGWAG_LOG_LEVEL: 'info', WIGWAG_ACCESS_LOG: 'yes' },
    stdio: ['ignore', 'ignore', full],
  })
  closeSync(full)
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const ask = () => fetch(`http://127.0.0.1:${port}/v1/messages`).then(({ status }) => status)
  await eventually('it listens', () => ask().then(Boolean, () => false))
  for (let each = 0; each < 20; each++) expect(await ask()).toBe(401)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
