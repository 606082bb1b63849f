import { expect, it, onTestFinished, vi } from 'vitest'
import { createSessions } from '../../../src/pages/live/sessions.ts'

const newStream = () => ({ send() {}, end() {}, onRefresh() {} })

it('streams are open at most 250 times for an account, however many sessions it has, and 500 times in all', () => {
  const sessions = createSessions({
    reception: { active: async (tokens) => new Set(tokens), onSignOut() {} },
  })
  const opened: (() => void)[] = []
  const open = (accountId: string, session: number) => {
    const owner = { token: `${accountId} ${session}`, accountId }
    const refusal = sessions.refusal(owner)
    if (refusal === undefined) opened.push(sessions.add(owner, newStream()))
    return refusal
  }
  for (let n = 0; n < 250; n++) expect(open('a', n % 25)).toBeUndefined()
  expect(open('a', 25)).toBe(429)
  for (let n = 0; n < 250; n++) expect(open('b', n % 25)).toBeUndefined()
  expect(open('c', 0)).toBe(503)
  opened[0]?.()
  expect(open('b', 25)).toBe(429)
  expect(open('a', 25)).toBeUndefined()
  for (const close of opened) close()
  expect(sessions.count()).toBe(0)
})

it('a stream ends a second after its session, and all sessions are asked for at once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked: (readonly string[])[] = []
  const active = new Set(['ada', 'ben'])
  let isAway = false
  const sessions = createSessions({
    reception: {
      onSignOut() {},
      async active(tokens) {
        asked.push(tokens)
        if (isAway) throw new Error('the store is away')
        return active
      },
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
