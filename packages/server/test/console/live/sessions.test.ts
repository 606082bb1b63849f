import { expect, it } from 'vitest'
import { createSessions } from '../../../src/pages/live/sessions.ts'

const newStream = () => ({ send() {}, end() {}, onChecked() {} })

it('streams are open at most 250 times for an account, however many sessions it has, and 500 times in all', () => {
  const sessions = createSessions({
    reception: { who: async () => undefined, onSignOut() {} },
    checkMs: 60_000,
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
