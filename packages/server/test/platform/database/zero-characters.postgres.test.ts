import { expect, it, onTestFinished } from 'vitest'
import { createPerson, formsOf } from '../../assistants/oauth/person.ts'
import { BALANCE, call, callWith, openFront } from '../../support/front.ts'
import { joinAs } from '../../support/people.ts'
import { freshPostgres } from '../../support/postgres.ts'

it('knows no client with a zero character in its ID, nor one with it in its secret', async () => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const front = await openFront(url)
  onTestFinished(() => front.close())
  for (const pair of ['wc_\0:secret', 'wc_1:\0']) {
    const proof = { authorization: `Basic ${btoa(pair)}`, 'x-wallet': 'Token none' }
    expect((await callWith(front.url, proof, { path: BALANCE })).status).toBe(401)
  }
})

it('finds nothing by an id with a zero character', async () => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const front = await openFront(url)
  onTestFinished(() => front.close())
  const account = await front.account('zero', 0)
  const asks = [
    { path: '/v1/account/keys/a%00/rotate', body: { KeepOldFor: 'P1D' } },
    { path: '/v1/callbacks/a%00/replay', method: 'POST' },
    { path: '/v1/messages/a%00' },
    { path: '/v1/messages/sms/scheduled/a%00', method: 'DELETE' },
    { path: '/v1/transactions/a%00/status' },
  ]
  for (const ask of asks) {
    const { status } = await call(front.url, account, ask)
    expect([ask.path, status]).toEqual([ask.path, 404])
  }
})

const EMAIL = 'ama@acme.example'

/** Somebody at a gateway, in a browser that posts whatever it is told to. */
async function openForms() {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const front = await openFront(url)
  onTestFinished(() => front.close())
  const { accountId } = await front.account('zero', 0)
  const person = await joinAs(front, accountId, { email: EMAIL, role: 'owner' })
  async function poster(who = person, page = '/you') {
    const [form] = formsOf(await who.visit(front.url + page))
    return (path: string, fields: Record<string, string>) =>
      who.send(front.url + path, {
        method: 'POST',
        headers: { origin: front.url, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...form?.hidden, ...fields }),
      })
  }
  return { poster }
}

it('takes zero characters out of what a form says', async () => {
  const { poster } = await openForms()
  const post = await poster()
  for (const [path, fields] of [
    ['/you/passkeys/name', { id: 'a\0', name: 'a\0' }],
    ['/you/passkeys/remove', { id: 'a\0' }],
    ['/you/sessions/end', { id: 'a\0' }],
    ['/people/withdraw', { email: 'a\0@acme.example' }],
    ['/people/limits', { person: 'a\0', spend: '1', messages: '1' }],
    ['/people/invite', { email: 'b\0en@acme.example', role: 'viewer' }],
  ] as const) {
    const { status } = await post(path, fields)
    expect([path, status < 500]).toEqual([path, true])
  }
  expect(
    await (await post('/people/invite', { email: 'b\0en@acme.example', role: 'viewer' })).text(),
  ).toContain('ben@acme.example')
})

it('lets nobody in by a passkey with a zero character in its id, or in its challenge', async () => {
  const { poster } = await openForms()
  const post = await poster(createPerson(), '/sign-in')
  const options: { challenge: string } = JSON.parse(await (await post('/passkey/sign-in', {})).text())
  for (const [id, challenge] of [
    ['a\0', options.challenge],
    ['a', `${options.challenge}\0`],
  ]) {
    const said = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge })).toString('base64url')
    const passkey = JSON.stringify({ id, rawId: id, type: 'public-key', response: { clientDataJSON: said } })
    expect((await post('/sign-in/passkey', { passkey })).status).toBe(401)
  }
})
