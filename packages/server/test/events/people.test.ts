import { expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { newTotpSecret } from '../../src/sign-in/factors/totp.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { press } from '../console/forms.ts'
import { codeNow } from '../desk/desk.ts'
import { aPlace } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { openWebhook } from './webhook.ts'

it.each(['SQLite in memory', 'PostgreSQL'] as const)(
  'tell the operator of a factor that was added, and of a recovery code that was used, on %s',
  async (engine) => {
    const { events, operatorWebhook } = await openWebhook()
    const clock = createMovedClock(epochMs(Date.now()))
    const world = await openWorld({ database: await aPlace(engine), config: { operatorWebhook }, clock })
    const { url } = world
    const { person, accountId, email, password } = await world.resident('ama')
    const secret = newTotpSecret()
    const made = await press(person, await person.visit(`${url}/you/generator`), '/you/generator', {
      secret,
      code: codeNow(secret, 0, clock.now()),
    })
    const [code = ''] = [...made.text.matchAll(/<li>([\w-]{19})<\/li>/g)].map(([, one = '']) => one)
    person.cookies.clear()
    const half = await press(person, await person.visit(`${url}/sign-in`), '/sign-in', { email, password })
    const landed = await press(person, half, '/second', { code })
    expect(landed.url).toBe(`${url}/messages`)

    const bodies = () => events.map(({ body }) => body)
    await eventually('both came', () => {
      clock.moveTo(epochMs(clock.now() + 1_000))
      expect(bodies()).toHaveLength(2)
      return true
    })
    const data = { accountId, name: 'ama', personId: expect.any(String), email }
    const timestamp = expect.any(String)
    expect(bodies().sort((a, b) => a.type.localeCompare(b.type))).toEqual([
      { type: 'person.factor_added', timestamp, data: { ...data, factor: 'code generator' } },
      { type: 'person.recovery_code_used', timestamp, data: { ...data, factor: 'recovery code' } },
    ])
    await eventually('no event is left', async () => {
      const rows = await world.gateway.database.read(({ run }) => run('SELECT id FROM person_events', []))
      return rows.length === 0
    })
  },
)
