import { expect, it, onTestFinished } from 'vitest'
import { BALANCE, callWith, openFront } from '../../support/front.ts'
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
