import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../harness.ts'
import { cutOff, openOnPostgres, whileFull } from '../breakage.ts'
import { expectProblem, refuses } from '../refuses.ts'

const headers = { 'retry-after': '1' }

describe('sendSms: 503', () => {
  it('answers unavailable while the disk is full, and takes the request once there is room', async () => {
    const harness = await openHarness()
    const Content = 'x'.repeat(1_530)
    const send = () => harness.sendSms({ ...MESSAGE, Content }, { 'idempotency-key': 'k-1' })
    const request = () => whileFull(harness, send)
    for (let n = 0; n < 20; n++) await harness.sendSms({ ...MESSAGE, Content })
    await refuses(harness, request, 'unavailable', { headers })
    expect((await send()).status).toBe(200)
  })

  it('answers unavailable while the store cannot be reached', async () => {
    const { harness, url } = await openOnPostgres()
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
    await cutOff(url)
    await expectProblem(await harness.sendSms(MESSAGE), 'unavailable', { headers })
  })
})
