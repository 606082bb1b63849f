import { Writable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../../src/kernel/process/log.ts'
import { createPerson } from '../../assistants/oauth/person.ts'
import { aPlace, ENGINES } from '../../support/bench.ts'
import { openFront } from '../../support/front.ts'

it.each(ENGINES)(
  'a statement that fails is logged, without the values that were in it, on %s',
  async (engine) => {
    const written: string[] = []
    const stderr = new Writable({
      write(line: Buffer, _encoding, done) {
        written.push(line.toString())
        done()
      },
    })
    const front = await openFront(await aPlace(engine), {}, { log: await openLog('error', stderr) })
    onTestFinished(() => front.close())
    const stranger = createPerson()
    const page = await stranger.visit(`${front.url}/sign-in`)
    await front.gateway.database.write(({ run }) => run('ALTER TABLE people RENAME TO away', []))
    const failed = await stranger.submit(page, {
      email: 'ama@acme.example',
      password: 'correct horse battery',
    })
    expect(failed.status).toBe(500)
    const log = written.join('')
    expect(log).toContain('Failed query: select')
    expect(log).toMatch(/rows\.ts:\d+/)
    expect(log).toMatch(/no such table|does not exist/)
    expect(log).not.toContain('ama@acme.example')
  },
)
