import { expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../support/harness.ts'

it('counts the jobs that fail each time, by kind, for as long as they do', async () => {
  const { app, database, sendSms } = await openHarness()
  const gauge = async () => {
    const text = await (await app.request('/metrics')).text()
    return text.split('\n').filter((line) => line.startsWith('wigwag_jobs_set_aside'))
  }
  expect(await gauge()).toEqual([])
  await sendSms({ ...MESSAGE, To: '233240000005' })
  await database.write(({ run }) => run('UPDATE outbox SET faults = 7', []))
  expect(await gauge()).toEqual(['wigwag_jobs_set_aside{kind="dispatch"} 1'])
  await database.write(({ run }) => run('UPDATE outbox SET faults = 0', []))
  expect(await gauge()).toEqual([])
})
