import { describe, it, onTestFinished } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { freshPostgres } from '../../support/postgres.ts'
import { openWire } from '../../support/wire.ts'
import { expectFresh, expectNoRoom } from '../breakage.ts'
import { expectProblem } from '../refuses.ts'
import { SENDS, type Send } from './send.ts'

const headers = { 'retry-after': '1' }

function unavailable({ operation, message }: Send): void {
  describe(`${operation}: 503`, () => {
    it('answers unavailable while the disk is full, and takes the request once there is room', () =>
      expectNoRoom((harness, key) =>
        harness[operation]({ ...message, Content: 'x'.repeat(1_530) }, { 'idempotency-key': key }),
      ))

    it('answers outcome_unknown where the store goes away during the commit, and a repeat with the key tells', async () => {
      const { url, drop } = await freshPostgres()
      const wire = await openWire(url)
      onTestFinished(async () => {
        await wire.close()
        await drop()
      })
      const harness = await openHarness({ database: wire.url })
      const Content = 'on a line that breaks'
      const send = () => harness[operation]({ ...message, Content }, { 'idempotency-key': 'k' })
      wire.breakCommit(Content, 'before')
      await expectProblem(await send(), 'outcome_unknown', { headers })
      expectFresh(await send())
    })
  })
}

for (const send of SENDS) unavailable(send)
