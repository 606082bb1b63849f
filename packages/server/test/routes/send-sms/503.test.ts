import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../../support/harness.ts'
import { cutOff, expectNoRoom, openOnPostgres } from '../breakage.ts'
import { expectProblem } from '../refuses.ts'

const headers = { 'retry-after': '1' }

describe('sendSms: 503', () => {
  it('answers unavailable while the disk is full, and takes the request once there is room', () =>
    expectNoRoom((harness, key) =>
      harness.sendSms({ ...MESSAGE, Content: 'x'.repeat(1_530) }, { 'idempotency-key': key }),
    ))

  it('answers unavailable while the store cannot be reached', async () => {
    const { harness, url } = await openOnPostgres()
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
    await cutOff(url)
    await expectProblem(await harness.sendSms(MESSAGE), 'unavailable', { headers })
  })
})
