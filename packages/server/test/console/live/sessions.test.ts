import { expect, it, onTestFinished, vi } from 'vitest'
import { Sessions } from '../../../src/web/live/sessions.ts'

const newStream = () => ({ send() {}, end() {}, onRefresh() {} })

it('streams of an account are at most as many as are free, so that others find some, and 500 in all', () => {
  const sessions = new Sessions({ active: async (tokens) => new Set(tokens), onSignOut() {} })
  const opened: (() => void)[] = []
  const open = (accountId: string, session: number) => {
    const owner = { token: `${accountId} ${session}`, accountId }
    const refusal = sessions.refusal(owner)
    if (refusal === undefined) opened.push(sessions.add(owner, newStream()))
    return refusal
  }
  /** Opens as many as an account gets, however many sessions it has. */
  const openAll = (accountId: string) => {
    let count = 0
    while (open(accountId, count % 50) === undefined) count++
    expect(open(accountId, 50)).toBe(429)
    return count
  }
  expect(['a', 'b', 'c', 'd'].map(openAll)).toEqual([250, 125, 63, 31])
  opened[0]?.()
  expect(open('a', 50)).toBe(429)
  for (let n = 0; n < 32; n++) expect(open(`other ${n}`, 0)).toBeUndefined()
  expect(open('one more', 0)).toBe(503)
  for (const close of opened) close()
  expect(sessions.count()).toBe(0)
})

it('a stream ends a second after its session, and all sessions are asked for at once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked: (readonly string[])[] = []
  const active = new Set(['ada', 'ben'])
  let isAway = false
  const sessions = new Sessions({
    onSignOut() {},
    async active(tokens) {
      asked.push(tokens)
      if (isAway) throw new Error('the store is away')
      return active
    },
  })
  const ended: string[] = []
  for (const token of ['ada', 'ada', 'ben']) {
    const remove = sessions.add(
      { token, accountId: 'acme' },
      {
        ...newStream(),
        end() {
          ended.push(token)
          remove()
        },
      },
    )
  }
  await vi.advanceTimersByTimeAsync(1_000)
  expect([asked, ended]).toEqual([[['ada', 'ben']], []])
  active.delete('ada')
  isAway = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ended).toEqual([])
  isAway = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ended).toEqual(['ada', 'ada'])
  active.delete('ben')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([ended.at(-1), sessions.count()]).toEqual(['ben', 0])
  const before = asked.length
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked).toHaveLength(before)
})
