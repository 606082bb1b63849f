import { describe, expect, it } from 'vitest'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { press, wordsOf } from './forms.ts'

const ONE = { From: 'WIGWAG', Content: 'Hello' }

async function open(database?: string) {
  const world = await openWorld(database === undefined ? {} : { database })
  const ama = await world.resident()
  const people = await ama.person.visit(`${world.url}/people`)
  const kept = await press(ama.person, people, '/people/country', { country: 'GH' })
  return { world, ama, kept }
}

async function recipients({ gateway }: World, { accountId }: Resident): Promise<string[]> {
  const rows = await gateway.database.read(({ run }) =>
    run<{ recipient: string }>('SELECT recipient FROM messages WHERE account_id = $1 ORDER BY id', [
      accountId,
    ]),
  )
  return rows.map(({ recipient }) => recipient)
}

describe.each(ENGINES)('the country of an account, on %s', (engine) => {
  it('is kept by an owner, told in who did what, and taken away again', async () => {
    const { world, ama, kept } = await open(await aPlace(engine))
    expect(wordsOf(kept)).toContain('Numbers without a country code are read so from now on.')
    expect(wordsOf(kept)).toContain('On the pages Send and Many they are numbers of Ghana')
    const log = wordsOf(await ama.person.visit(`${world.url}/log`))
    expect(log).toContain('changed the country of numbers without a country code from none to GH')
    const wrong = await press(ama.person, kept, '/people/country', { country: 'Atlantis\0' })
    expect(wrong.status).toBe(422)
    const none = await press(ama.person, kept, '/people/country', { country: '' })
    expect(wordsOf(none)).toContain('every number needs its country code')
    const [account] = await world.gateway.database.read(({ run }) =>
      run('SELECT country FROM accounts WHERE id = $1', [ama.accountId]),
    )
    expect(account).toEqual({ country: '' })
  })

  it('is an operator’s to change too', async () => {
    const { world, ama } = await open(await aPlace(engine))
    const edited = await world.gateway.operator.edit(ama.accountId, { country: 'NG' })
    expect([edited.changed, edited.country, edited.email]).toEqual([true, 'NG', ama.email])
    expect((await world.gateway.operator.edit(ama.accountId, { country: 'NG' })).changed).toBe(false)
    expect((await world.gateway.operator.edit(ama.accountId, { name: 'Ama' })).country).toBe('NG')
  })
})

describe('a number without a country code', () => {
  it('is shown as it will be sent to before anything is sent', async () => {
    const { world, ama } = await open()
    const form = await ama.person.visit(`${world.url}/send`)
    const asked = await press(ama.person, form, '/send', { ...ONE, To: '024 123 4567' })
    expect(asked.status).toBe(200)
    expect(wordsOf(asked)).toContain(
      '024 123 4567 is +233 24 123 4567 , read as a number of Ghana. Nothing was sent',
    )
    expect(asked.text).toMatch(/name="To" value="\+233241234567"/)
    expect(await recipients(world, ama)).toEqual([])
    await press(ama.person, asked, '/send', { ...ONE, To: '+233241234567' })
    expect(await recipients(world, ama)).toEqual(['233241234567'])
  })

  it('is refused with words where it is none of the country, or was shortened by a spreadsheet', async () => {
    const { world, ama } = await open()
    const form = await ama.person.visit(`${world.url}/send`)
    for (const [To, words] of [
      ['024 123', 'Expected a number of Ghana, or one with a plus sign'],
      ['2,33241E+11', 'A spreadsheet shortened this number to 2,33241E+11'],
    ] as const) {
      const refused = await press(ama.person, form, '/send', { ...ONE, To })
      expect([refused.status, refused.text.includes('id="To-error"')]).toEqual([422, true])
      expect(wordsOf(refused)).toContain(words)
    }
    expect(await recipients(world, ama)).toEqual([])
  })

  it('is shown in a list too, which a press of Send alone does not send', async () => {
    const { world, ama } = await open()
    const form = await ama.person.visit(`${world.url}/send/many`)
    const list = 'Phone,Name\n024 123 4567,Ama\n+233 20 000 0000,Kofi\n0201234568,Esi'
    const typed = { ...ONE, Content: 'Hello {Name}', list }
    for (const wanted of ['', 'send']) {
      const checked = await press(ama.person, form, '/send/many', { ...typed, do: wanted })
      expect(wordsOf(checked)).toContain('2 numbers had no country code, and were read as numbers of Ghana.')
      expect(wordsOf(checked)).toContain('Line 2: 024 123 4567 is +233 24 123 4567')
      expect(await recipients(world, ama)).toEqual([])
      if (wanted === '') continue
      // The country may be another by now: what was shown is sent.
      await world.gateway.operator.edit(ama.accountId, { country: 'NG' })
      await press(ama.person, checked, '/send/many', { do: 'send' })
    }
    expect(await recipients(world, ama)).toEqual(['233241234567', '233200000000', '233201234568'])
  })

  it('is named in a list where it is none, or was shortened, also by a comma that cuts it in two', async () => {
    const { world, ama } = await open()
    const form = await ama.person.visit(`${world.url}/send/many`)
    const list = '0241234567,a\n2,33241E+11\n024 123,b'
    const checked = await press(ama.person, form, '/send/many', { ...ONE, list })
    expect(checked.status).toBe(422)
    expect(wordsOf(checked)).toContain('2 2,33241E+11 A spreadsheet shortened this number to 2,33241E+11')
    expect(wordsOf(checked)).toContain('3 024 123 Expected a number of Ghana')
    const mended = await press(ama.person, checked, '/send/many', { do: 'mend' })
    expect(wordsOf(mended)).toContain('Line 1: 0241234567 is +233 24 123 4567')
    await press(ama.person, mended, '/send/many', { do: 'send' })
    expect(await recipients(world, ama)).toEqual(['233241234567'])
  })

  it('is refused over the API as before, and by a sender who is no owner nothing is changed', async () => {
    const { world, ama } = await open()
    const { status } = await call(world.url, ama, { path: SINGLE, body: single('0241234567') })
    expect(status).toBe(422)
    const role = 'sender'
    const kofi = await joinAs(world, ama.accountId, { email: 'kofi@example.com', role })
    const body = new URLSearchParams({ country: 'NG' })
    const response = await kofi.send(`${world.url}/people/country`, {
      method: 'POST',
      headers: { origin: world.url },
      body,
    })
    expect(response.status).toBe(403)
  })
})
