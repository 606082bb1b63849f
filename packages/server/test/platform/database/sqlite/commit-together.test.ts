import { describe, expect, it } from 'vitest'
import { CommitQueue } from '../../../../src/store/sqlite/commit-queue.ts'

/** Steps that note what is done, and fail where they are told to. */
function steps({ failing }: { failing?: 'begin' | 'commit' } = {}) {
  const done: string[] = []
  let open = false
  const step = (name: string, then: () => void = () => {}) => {
    return () => {
      done.push(name)
      if (name === failing) throw new Error(`${name} failed`)
      then()
    }
  }
  return {
    done,
    begin: step('begin', () => {
      open = true
    }),
    commit: step('commit', () => {
      open = false
    }),
    rollback: step('rollback', () => {
      open = false
    }),
    savepoint: step('savepoint'),
    rollbackToSavepoint: step('back'),
    release: step('release'),
    open: () => open,
  }
}

const writes = (queue: CommitQueue, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => queue.add(async () => index)))

describe('work that waits for one flush', () => {
  it('shares it, and is told of it only afterwards', async () => {
    const recorded = steps()
    const queue = new CommitQueue(recorded, 1)
    const first = queue.add(async () => 'first')
    void first.then(() => recorded.done.push('told'))
    await queue.add(async () => 'second')
    await first
    const each = ['savepoint', 'release']
    expect(recorded.done).toEqual(['begin', ...each, ...each, 'commit', 'told'])
  })

  it('fails together when the flush fails, and leaves no transaction open', async () => {
    const recorded = steps({ failing: 'commit' })
    const ended = await writes(new CommitQueue(recorded, 1), 3)
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(recorded.done.at(-1)).toBe('rollback')
    expect(recorded.open()).toBe(false)
  })

  it('is not begun when the transaction cannot begin', async () => {
    const recorded = steps({ failing: 'begin' })
    const ended = await writes(new CommitQueue(recorded, 1), 3)
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(recorded.done).toEqual(['begin'])
  })

  it('joins the transaction that waits to begin', async () => {
    const recorded = steps()
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>()
    const begin = () => unlocked.then(recorded.begin)
    const queue = new CommitQueue({ ...recorded, begin }, 1)
    const first = queue.add(async () => 'first')
    await new Promise(setImmediate)
    const second = queue.add(async () => 'second')
    unlock()
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
    expect(recorded.done.filter((name) => name === 'begin' || name === 'commit')).toEqual(['begin', 'commit'])
  })

  it('of a later batch is not harmed by one that failed', async () => {
    const recorded = steps()
    const queue = new CommitQueue(recorded, 1)
    await expect(queue.add(() => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose')
    expect(await queue.add(async () => 'after')).toBe('after')
  })

  it('takes turns with what is alone in its transaction, so that nothing short waits for more than one of those', async () => {
    const recorded = steps()
    const queue = new CommitQueue(recorded, 1)
    const done: string[] = []
    const add = (name: string, alone = false) => queue.add(async () => void done.push(name), { alone })
    const first = [add('long', true), add('short'), add('longer', true), add('too')]
    await first[0]
    await Promise.all([...first, add('later'), add('last', true)])
    expect(done).toEqual(['long', 'short', 'too', 'later', 'longer', 'last'])
    expect(recorded.done.filter((name) => name === 'begin')).toHaveLength(4)
  })

  it('that is patient waits for company, but not for long', async () => {
    const recorded = steps()
    const queue = new CommitQueue(recorded, 20)
    const patient = queue.add(async () => 'patient', { patient: true })
    await new Promise(setImmediate)
    expect(recorded.done).toEqual([])
    expect(await queue.add(async () => 'company')).toBe('company')
    expect(await patient).toBe('patient')
    expect(recorded.done.filter((name) => name === 'begin')).toHaveLength(1)
    expect(await queue.add(async () => 'alone', { patient: true })).toBe('alone')
  })
})
