import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../src/store/database.ts'
import { aPlace, ENGINES_WITH_FILE } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { call, openFront, SINGLE } from '../../support/front.ts'
import { turns } from '../../support/turns.ts'

it.each(ENGINES_WITH_FILE)(
  'a gateway that stops finishes the receipts under way before it closes its store, on %s',
  async (engine) => {
    const lines: { level: number }[] = []
    const slow = slowToAnswerTheEnd()
    const { gateway, ...front } = await openFront(
      await aPlace(engine),
      {},
      {
        aroundDatabase: slow.around,
        log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
      },
    )
    onTestFinished(front.close)
    const account = await front.account('ended', 1e9)
    const sent = await call(front.url, account, {
      path: SINGLE,
      body: { From: 'WIGWAG', To: '233241234567', Content: 'Hello' },
    })
    expect(sent.status).toBe(200)
    await eventually('the message is final, and the gateway has not heard of it', async () => slow.isHeld())
    const stopped = gateway.stop()
    await Promise.race([stopped, turns()])
    slow.release()
    await stopped
    await turns()
    expect(lines.filter(({ level }) => level >= 50)).toEqual([])
  },
)

/** A store whose answer to the write that made a message final is held back. */
function slowToAnswerTheEnd() {
  let held = false
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    isHeld: () => held,
    release,
    around: (database: Database): Database => ({
      ...database,
      async write(work, options) {
        const result = await database.write(work, options)
        const rows = await database.read(({ run }) =>
          run("SELECT id FROM messages WHERE status = 'success'", []),
        )
        if (rows.length > 0 && !held) {
          held = true
          await released
        }
        return result
      },
    }),
  }
}
