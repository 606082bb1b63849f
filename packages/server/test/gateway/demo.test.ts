import { describe, expect, it } from 'vitest'
import { makePlace } from '../store/engine.ts'
import { type Front, openFront } from './front.ts'

async function startTogether(url: string, count: number): Promise<Front[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => openFront(url)))
  const fronts = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = started.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  if (failed.length === 0) return fronts
  await Promise.all(fronts.map((front) => front.close()))
  throw failed[0]
}

describe('an empty sandbox', () => {
  it('is given one demo account by all the gateways that start on it at once', async () => {
    const place = await makePlace('PostgreSQL')
    try {
      const fronts = await startTogether(place.url, 4)
      const [first] = fronts
      expect(first?.gateway.demo?.clientId).toMatch(/^wc_/)
      for (const { gateway } of fronts) expect(gateway.demo).toEqual(first?.gateway.demo)
      const accounts = await first?.gateway.database.read(({ db, t }) => db.select().from(t.accounts))
      expect(accounts).toHaveLength(1)
      await Promise.all(fronts.map((front) => front.close()))
    } finally {
      await place.remove()
    }
  })

  it('keeps its demo account and its sample rates when the gateway starts again', async () => {
    const place = await makePlace('an SQLite file')
    try {
      const first = await openFront(place.url)
      await first.close()
      const second = await openFront(place.url)
      expect(second.gateway.demo).toEqual(first.gateway.demo)
      await second.close()
    } finally {
      await place.remove()
    }
  })
})
