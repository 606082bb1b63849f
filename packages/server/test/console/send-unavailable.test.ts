import { expect, it, onTestFinished } from 'vitest'
import { openWorld } from '../assistants/oauth/world.ts'
import { makePlace } from '../support/engine.ts'
import { lockFile } from '../support/lock.ts'
import { press, wordsOf } from './forms.ts'

const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Typed with care' }

it('says that nothing was sent while the store takes nothing, and sends once when it does again', async () => {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const world = await openWorld({ database: place.url, lockWaitMs: 200 })
  const { person, accountId } = await world.resident()
  const page = await person.visit(`${world.url}/send`)
  const unlock = await lockFile(place.url)
  const refused = await press(person, page, '/send', MESSAGE).finally(unlock)
  expect(refused.status).toBe(503)
  expect(wordsOf(refused)).toContain('Nothing was sent. The gateway can’t take messages right now.')
  expect(refused.text).toContain('Typed with care</textarea>')
  const landed = await press(person, refused, '/send', MESSAGE)
  expect(landed.url).toContain('/messages/')
  const sent = await world.gateway.database.read(({ run }) =>
    run('SELECT id FROM messages WHERE account_id = $1', [accountId]),
  )
  expect(sent).toHaveLength(1)
})
