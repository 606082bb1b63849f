import { createHook } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { createPerson, type Page, type Person } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { press } from './forms.ts'

const NEW = 'another long enough password'

/** A gateway that hashes when it is told to. */
async function openHeld() {
  const mayHash = Promise.withResolvers<void>()
  const world = await openWorld({
    async hash(password) {
      await mayHash.promise
      return cheapHash(password)
    },
  })
  return { world, goOn: mayHash.resolve }
}

/** Somebody new at the page of their invitation. */
async function invited(
  { gateway, url }: Pick<Awaited<ReturnType<typeof openWorld>>, 'gateway' | 'url'>,
  account: string,
) {
  const link = await gateway.people.invite(account, 'ben@acme.example', 'viewer')
  const person = createPerson()
  return { person, page: await press(person, await person.visit(`${url}/invited`), '/invited', { link }) }
}

/** Posts a form twice at once. The one that is answered before any password is hashed was refused. */
async function twice(goOn: () => void, post: () => Promise<Page>) {
  const posts = [post(), post()]
  const refused = await Promise.race(posts)
  goOn()
  const [taken] = (await Promise.all(posts)).filter((page) => page !== refused)
  if (!taken) throw new Error('expected an answer to both')
  return { refused, taken }
}

it('is set once at a time for a person: the other form comes back, to be sent again', async () => {
  const { world, goOn } = await openHeld()
  const { person, email } = await world.resident('ama')
  const page = await person.visit(`${world.url}/you`)
  const { refused, taken } = await twice(goOn, () =>
    press(person, page, '/you/password', { new_password: NEW }),
  )
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.text).toContain('and this one was not. Please try again in a moment.')
  expect(refused.text).toMatch(
    /<details open><summary>Change it<\/summary>\s*<form method="post" action="\/you\/password"/,
  )
  expect(refused.text).not.toContain(NEW)
  expect(taken.text).toContain('Your password is changed')
  const again = await press(person, refused, '/you/password', { new_password: `${NEW} again` })
  expect(again.text).toContain('Your password is changed')
  await signsIn(createPerson(), world.url, { email, password: `${NEW} again` })
})

it('is set once by a link, however often it is sent at once', async () => {
  const { world, goOn } = await openHeld()
  const { accountId } = await world.resident('ama')
  const { person, page } = await invited(world, accountId)
  const { refused, taken } = await twice(goOn, () => press(person, page, '/join/password', { password: NEW }))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.text).toMatch(/<form method="post" action="\/join\/password"/)
  expect(new URL(taken.url).pathname).toBe('/messages')
  expect((await press(person, refused, '/join/password', { password: NEW })).status).toBe(410)
  await signsIn(createPerson(), world.url, { email: 'ben@acme.example', password: NEW })
})

it('is not hashed where pages are compressed and hosts are looked up', async () => {
  const made = new Set<string>()
  const world = await openWorld({ hash: undefined })
  const { person } = await world.resident('ama')
  const page = await person.visit(`${world.url}/you`)
  const watch = createHook({ init: (_, type) => void made.add(type) }).enable()
  try {
    const done = await press(person, page, '/you/password', { new_password: NEW })
    expect(done.text).toContain('Your password is changed')
  } finally {
    watch.disable()
  }
  expect([...made]).toContain('ZLIB')
  expect([...made]).not.toContain('SCRYPTREQUEST')
})

it.each([
  ['short', 'x'.repeat(11)],
  ['long', 'x'.repeat(1_025)],
])('is refused when it is too %s, and the old one is good as before', async (_, password) => {
  const world = await openWorld()
  const resident = await world.resident('ama')
  const { person } = resident
  const page = await person.visit(`${world.url}/you`)
  const refused = await press(person, page, '/you/password', { new_password: password })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('Expected a password of 12 to 1,024 characters. It is as it was.')
  await signsIn(createPerson(), world.url, resident)
  const ben = await invited(world, resident.accountId)
  const joining = await press(ben.person, ben.page, '/join/password', { password })
  expect(joining.status).toBe(422)
  expect(joining.text).toContain('Expected a password of 12 to 1,024 characters.')
  expect(ben.person.cookies.has('wigwag_portal')).toBe(false)
})

async function signsIn(
  person: Person,
  url: string,
  { email, password }: { email: string; password: string },
) {
  const page = await person.submit(await person.visit(`${url}/sign-in`), { email, password })
  expect(new URL(page.url).pathname).toBe('/messages')
}
