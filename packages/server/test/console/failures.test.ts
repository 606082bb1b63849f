import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { press, wordsOf } from './forms.ts'

const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }
const ROTATE = /\/keys\/[\w-]+\/rotate$/

/** A world whose log can be read, and whose store refuses new rows of a table when it is told to. */
async function open() {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  let later = 0
  const world = await openWorld({
    log: pino({ level: 'error' }, stream),
    clock: { ...systemClock, now: () => epochMs(systemClock.now() + later) },
  })
  const ama = await world.resident()
  return {
    world,
    ama,
    lines,
    person: ama.person,
    wait: (ms: number) => {
      later += ms
    },
    refuse: (table: string) =>
      world.gateway.database.write(({ run }) =>
        run(
          `CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'on purpose'); END`,
          [],
        ),
      ),
  }
}

it('shows the id that the log has, on a page that failed and in a form', async () => {
  const { world, person, refuse, lines } = await open()
  const send = await person.visit(`${world.url}/send`)
  await refuse('messages')
  const refused = await press(person, send, '/send', MESSAGE)
  expect(refused.status).toBe(500)
  const { id } = lines.find(({ part }) => part === 'console') ?? {}
  expect(wordsOf(refused)).toContain(`To ask about it, quote ${id} .`)

  lines.length = 0
  const keys = await person.visit(`${world.url}/keys`)
  await refuse('keys')
  const failed = await person.submit(keys, { keep: 'PT1H' }, (to) => ROTATE.test(to))
  expect([failed.status, failed.text.includes('did not work')]).toEqual([500, true])
  expect(failed.text).toContain(`quote <code>${lines[0]?.id}</code>`)
  expect(lines).toHaveLength(1)
})

it('keeps a person signed in when a form fails after their password was asked for again', async () => {
  const { world, ama, person, refuse, wait } = await open()
  wait(11 * 60_000)
  const keys = await person.visit(`${world.url}/keys`)
  await refuse('keys')
  const failed = await person.submit(keys, { keep: 'PT1H', password: ama.password }, (to) => ROTATE.test(to))
  expect(failed.status).toBe(500)
  expect((await person.visit(`${world.url}/keys`)).url).toBe(`${world.url}/keys`)
})
