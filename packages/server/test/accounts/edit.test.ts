import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { createPerson } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { wordsOf } from '../console/forms.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { joinAs } from '../support/people.ts'

async function open(database?: string) {
  const world = await openWorld(database === undefined ? {} : { database })
  const { operator } = world.gateway
  const audited = (accountId: string) =>
    world.gateway.database.read(({ run }) =>
      run<{ actor: string; detail: string }>(
        "SELECT actor, detail FROM audit WHERE action = 'account.edit' AND account_id = $1 ORDER BY id",
        [accountId],
      ),
    )
  const ama = await world.resident('ama')
  // The console names the account where it asks for money.
  await operator.warn(ama.accountId, micros(1_000_000_000))
  return { ...world, operator, audited, ama }
}

describe.each(ENGINES)('another name and address of an account, on %s', (engine) => {
  it('are seen by its people at once, who sign in as before, and are in the log in words', async () => {
    const { url, operator, audited, ama } = await open(await aPlace(engine))
    expect((await ama.person.visit(`${url}/wallet`)).text).not.toContain('Ama & Daughters')
    const facts = { name: 'Ama & Daughters', email: 'Office@Ama.example' }
    expect(await operator.edit('ama@example.com', facts)).toMatchObject({
      name: 'Ama & Daughters',
      email: 'office@ama.example',
      changed: true,
    })
    expect((await ama.person.visit(`${url}/wallet`)).text).toContain('Ama &amp; Daughters')
    const { email, password } = ama
    const browser = createPerson()
    const signedIn = await browser.submit(await browser.visit(`${url}/sign-in`), { email, password })
    expect(signedIn.text).toContain(ama.email)
    expect((await browser.visit(`${url}/wallet`)).text).toContain('Ama &amp; Daughters')
    expect(wordsOf(await ama.person.visit(`${url}/log`))).toContain(
      'changed the name of the account from ama to Ama & Daughters and the address of the account from ama@example.com to office@ama.example',
    )
    expect(await audited(ama.accountId)).toEqual([
      {
        actor: expect.any(String),
        detail: JSON.stringify({
          name: 'Ama & Daughters',
          nameBefore: 'ama',
          email: 'office@ama.example',
          emailBefore: 'ama@example.com',
        }),
      },
    ])
    expect(await operator.edit(ama.accountId, facts)).toMatchObject({ changed: false })
    expect(await audited(ama.accountId)).toHaveLength(1)
    await expect(operator.credit('ama@example.com', micros(1))).rejects.toThrow('there is no account')
    await operator.credit('OFFICE@ama.example', micros(1))
  })

  it('are nobody else’s address, also where two take it at once', async () => {
    const { operator, resident, ama } = await open(await aPlace(engine))
    const kofi = await resident('kofi')
    const taken = 'there is already an account for'
    await expect(operator.edit(ama.accountId, { email: 'KOFI@example.com' })).rejects.toThrow(taken)
    const both = await Promise.allSettled(
      [ama, kofi].map(({ accountId }) => operator.edit(accountId, { email: 'both@acme.example' })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = both.find((one) => one.status === 'rejected')
    expect(String(refused?.reason)).toBe(`OperatorError: ${taken} both@acme.example`)
  })

  it('are both changed where two operators change one each at once', async () => {
    const { operator, ama } = await open(await aPlace(engine))
    await Promise.all([
      operator.edit(ama.accountId, { name: 'Renamed' }),
      operator.edit(ama.accountId, { email: 'moved@acme.example' }),
    ])
    expect(await operator.edit('moved@acme.example', {})).toMatchObject({ name: 'Renamed', changed: false })
  })

  it('leave the people of the account, and whose password is set, alone', async () => {
    const world = await open(await aPlace(engine))
    const { operator, ama, gateway } = world
    await joinAs(world, ama.accountId, { email: 'efua@example.com', role: 'viewer' })
    await operator.edit(ama.accountId, { email: 'office@ama.example' })
    const { members } = await gateway.people.list(ama.accountId)
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      ['ama@example.com', 'owner'],
      ['efua@example.com', 'viewer'],
    ])
    await expect(operator.setPassword(ama.accountId, 'a hash')).rejects.toThrow(
      'office@ama.example is not among the people of account',
    )
  })
})

it('are seen at once by another gateway on the same database', async () => {
  const place = await aPlace('PostgreSQL')
  const [one, other] = [await open(place), await openWorld({ database: place })]
  await other.gateway.operator.edit(one.ama.accountId, { name: 'Renamed elsewhere' })
  expect((await one.ama.person.visit(`${one.url}/wallet`)).text).toContain('Renamed elsewhere')
})

it('are not those of an account that was erased', async () => {
  const { operator, gateway, ama } = await open()
  await operator.setStatus(ama.accountId, 'suspended')
  await eraseAccount(gateway, ama.accountId, { despiteBalance: true })
  await expect(operator.edit(ama.accountId, { name: 'Back' })).rejects.toThrow('was erased')
})
