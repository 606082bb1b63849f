import { expect, it, onTestFinished } from 'vitest'
import { BALANCE, call, callWith, openFront } from '../../support/front.ts'
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
