import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BehindLocks } from '../../src/messages/sending/behind-locks.ts'
import { RowLocked, StoreUnavailable } from '../../src/store/database.ts'

interface Item {
  wallet: string
  key?: string
}

/** Items on a store in which names are locked: a wallet, a key, or something else of a wallet that only shows. */
function openStore() {
  const locked = new Set<string>()
  /** The items of each transaction. */
  const runs: (readonly Item[])[] = []
  let underWay = 0
  let mostUnderWay = 0
  const store = {
    locked,
    runs,
    mostUnderWay: () => mostUnderWay,
    failWith: undefined as Error | undefined,
    behindLocks: new BehindLocks<Item, string>({
      async run(items) {
        runs.push(items)
        mostUnderWay = Math.max(mostUnderWay, ++underWay)
        await turn()
        underWay--
        if (store.failWith) throw store.failWith
        if (
          items.some(({ wallet, key }) =>
            [wallet, key, `limits of ${wallet}`].some((name) => name && locked.has(name)),
          )
        )
          throw new RowLocked('locked')
        return items.map(({ wallet }) => ({ value: `done for ${wallet}` }))
      },
      walletOf: ({ wallet }) => wallet,
      keyOf: ({ key }) => key,
      lockedWallets: async (ids) => new Set(ids.filter((id) => locked.has(id))),
      weigh: () => 1,
      refusal: (by) => new Error(`the ${by} is locked`),
    }),
    /** The results of the items of a batch, when all are known. */
    async results(items: readonly Item[]): Promise<string[]> {
      const outcomes = await store.behindLocks.run(items)
      return Promise.all(
        outcomes.map(async (outcome) => {
          if ('error' in outcome) return String(outcome.error)
          return Promise.resolve(outcome.value).catch(String)
        }),
      )
    },
    /** Transactions that held items of this wallet and of others. */
    shared: (wallet: string) =>
      runs.filter(
        (items) =>
          items.some((item) => item.wallet === wallet) && items.some((item) => item.wallet !== wallet),
      ),
  }
  return store
}

const itemsOf = (...wallets: string[]): Item[] => wallets.map((wallet) => ({ wallet }))
const many = (count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))

describe('a batch that meets a locked wallet', () => {
  it('goes on without its items, which are refused when it stays locked', async () => {
    const store = openStore()
    store.locked.add('a')
    const outcomes = await store.behindLocks.run(itemsOf('b', 'a', 'c', 'a'))
    expect([outcomes[0], outcomes[2]]).toEqual([{ value: 'done for b' }, { value: 'done for c' }])
    expect(store.runs.slice(0, 2)).toEqual([itemsOf('b', 'a', 'c', 'a'), itemsOf('b', 'c')])
    const held = [outcomes[1], outcomes[3]].map((outcome) => outcome && 'value' in outcome && outcome.value)
    for (const each of held) await expect(each).rejects.toThrow('the wallet is locked')
  })

  it('is the last that does: new items of the wallet wait with the others', async () => {
    const store = openStore()
    store.locked.add('a')
    const first = store.results(itemsOf('a', 'b'))
    await turn()
    await turn()
    for (let round = 0; round < 20; round++)
      expect((await store.results(itemsOf('b', 'a', 'c')))[1]).toBe('Error: the wallet is locked')
    expect(await first).toEqual(['Error: the wallet is locked', 'done for b'])
    expect(store.shared('a')).toHaveLength(1)
  })

  it('does what waits as soon as the lock is gone, and is shared again', async () => {
    const store = openStore()
    store.locked.add('a')
    const results = store.results(itemsOf('a', 'b'))
    while (store.runs.length < 4) await turn()
    store.locked.delete('a')
    expect(await results).toEqual(['done for a', 'done for b'])
    expect(await store.results(itemsOf('a', 'b'))).toEqual(['done for a', 'done for b'])
    expect(store.runs.at(-1)).toEqual(itemsOf('a', 'b'))
  })

  it('does all that waits once the lock is gone, a thousand at a time', async () => {
    const store = openStore()
    store.locked.add('a')
    const results = store.results(itemsOf('a', 'b'))
    while (store.runs.length < 3) await turn()
    const others = store.results(many(2_500, () => ({ wallet: 'a' })))
    store.locked.delete('a')
    expect(new Set([...(await results), ...(await others)])).toEqual(new Set(['done for a', 'done for b']))
    expect(store.runs.slice(-3).map((items) => items.length)).toEqual([1_000, 1_000, 500])
  })

  it('refuses at once what is more than may wait for it', async () => {
    const store = openStore()
    store.locked.add('a')
    const first = store.results(itemsOf('a', 'b'))
    while (store.runs.length < 3) await turn()
    const outcomes = await store.behindLocks.run(many(20_001, () => ({ wallet: 'a' })))
    expect(outcomes.flatMap((outcome, index) => ('error' in outcome ? index : []))).toEqual([20_000])
    store.locked.delete('a')
    await Promise.all([first, ...outcomes.map((outcome) => 'value' in outcome && outcome.value)])
  })

  it('waits in one transaction beside its own, however many wallets are locked', async () => {
    const store = openStore()
    const items = many(80, (index) => ({ wallet: `w-${index}` }))
    for (const { wallet } of items) store.locked.add(wallet)
    const refused = store.results(items)
    for (let round = 0; round < 20; round++)
      expect(await store.results(itemsOf('b', 'w-1', 'c'))).toEqual([
        'done for b',
        'Error: the wallet is locked',
        'done for c',
      ])
    expect(new Set(await refused)).toEqual(new Set(['Error: the wallet is locked']))
    expect(store.mostUnderWay()).toBe(2)
  })
})

describe('a batch that meets a locked key', () => {
  const neighbours = many(63, (index) => ({ wallet: index % 2 === 0 ? 'a' : 'b', key: `free-${index}` }))
  const batch = [...neighbours.slice(0, 40), { wallet: 'a', key: 'taken' }, ...neighbours.slice(40)]

  it('finds it in a few steps, and refuses that one item', async () => {
    const store = openStore()
    store.locked.add('taken')
    const results = await store.results(batch)
    expect(results.filter((result) => result.startsWith('Error'))).toEqual(['Error: the key is locked'])
    expect(results[40]).toBe('Error: the key is locked')
    const toFind = store.runs.filter((items) => items.length > 1 || items[0]?.key !== 'taken')
    expect(toFind.length).toBeLessThanOrEqual(14)
  })

  it('is the last that does, and the wallet is shared again', async () => {
    const store = openStore()
    store.locked.add('taken')
    await store.results(batch)
    await store.results(neighbours)
    const before = store.runs.length
    const [again, beside] = await Promise.all([
      store.results([
        { wallet: 'a', key: 'taken' },
        { wallet: 'b', key: 'other' },
      ]),
      store.results(neighbours),
    ])
    expect(again).toEqual(['Error: the key is locked', 'done for b'])
    expect(beside.every((result) => result.startsWith('done'))).toBe(true)
    const shared = store.runs.slice(before).filter((items) => items.length > 1)
    expect(shared).toEqual([neighbours])
    store.locked.delete('taken')
    expect(await store.results([{ wallet: 'a', key: 'taken' }])).toEqual(['done for a'])
  })
})

describe('a batch that meets a lock on something else', () => {
  it('keeps the items of its wallet out of the batches of others', async () => {
    const store = openStore()
    store.locked.add('limits of a')
    const batch = (round: number) =>
      many(8, (index) => ({ wallet: index < 4 ? 'a' : 'b', key: `${round}-${index}` }))
    await store.results(batch(0))
    const before = store.shared('a').length
    for (let round = 1; round < 10; round++) {
      const results = await store.results(batch(round))
      expect(results.map((result) => result.startsWith('done'))).toEqual([
        false,
        false,
        false,
        false,
        true,
        true,
        true,
        true,
      ])
    }
    expect(store.shared('a')).toHaveLength(before)
  })
})

describe('a batch that fails otherwise', () => {
  it('is halved until the item that fails is alone', async () => {
    const store = openStore()
    const behindLocks = new BehindLocks<Item, string>({
      async run(items) {
        store.runs.push(items)
        if (items.some(({ wallet }) => wallet === 'poison')) throw new Error('poison')
        return items.map(() => ({ value: 'done' }))
      },
      walletOf: ({ wallet }) => wallet,
      keyOf: () => undefined,
      lockedWallets: async () => new Set(),
      weigh: () => 1,
      refusal: (by) => new Error(by),
    })
    const outcomes = await behindLocks.run([...itemsOf('a', 'poison'), ...many(62, () => ({ wallet: 'b' }))])
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([{ error: new Error('poison') }])
    expect(outcomes[1]).toHaveProperty('error')
    expect(store.runs.length).toBeLessThanOrEqual(13)
  })

  it('is not halved when the store takes nothing', async () => {
    const store = openStore()
    store.failWith = new StoreUnavailable('down')
    expect(new Set(await store.results(itemsOf('a', 'b', 'c')))).toEqual(new Set(['StoreUnavailable: down']))
    expect(store.runs).toHaveLength(1)
  })
})
