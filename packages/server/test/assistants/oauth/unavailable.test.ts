import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { makePlace } from '../../support/engine.ts'
import { lockFile } from '../../support/lock.ts'
import { formsOf, type Page } from './person.ts'
import { livingConnections, openWorld, SENDING } from './world.ts'

it('tells a person in pages that the store can’t take an answer now, and goes on afterwards', async () => {
  const place = await makePlace('an SQLite file')
  onTestFinished(() => place.remove())
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => logged.push(line) })
  const world = await openWorld({ database: place.url, lockWaitMs: 50, log })
  const ama = await world.resident()
  const assistant = await world.assistant()

  async function whileLocked(url: string, body?: URLSearchParams): Promise<string> {
    const unlock = await lockFile(place.url)
    const answer = await (body ? post(url, body) : ama.person.send(url))
    await unlock()
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.headers.get('content-type')).toContain('text/html')
    return answer.text()
  }
  const post = (url: string, body: URLSearchParams) =>
    ama.person.send(url, { method: 'POST', headers: { origin: world.url }, body })

  const page = await ama.person.visit(assistant.authorizeUrl())
  const { action, body } = answerTo(page)
  expect(await whileLocked(action, body)).toContain('can’t answer right now')
  expect(await livingConnections(world, ama)).toBe(0)
  const leaving = await (await post(action, body)).text()
  const goesOnAt = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(leaving)?.[1] ?? ''
  const before = logged.length
  const failed = await whileLocked(goesOnAt)
  expect(failed).toContain('not your fault')
  const [, id = ''] = /quote <code>([^<]+)</.exec(failed) ?? []
  expect(id).not.toBe('')
  // Where it takes long, other parts of the gateway find out as well.
  const faults = logged.slice(before).filter((line) => line.includes('"part":"oauth"'))
  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain(`"${id}"`)
  expect((await ama.person.visit(goesOnAt)).left).toContain('code=')
  expect(await livingConnections(world, ama)).toBe(1)
})

/** The form that lets the assistant in, filled out. */
function answerTo(page: Page): { action: string; body: URLSearchParams } {
  const { action, hidden } = formsOf(page)[0] ?? { action: '', hidden: {} }
  return { action, body: new URLSearchParams({ ...hidden, ...SENDING }) }
}
