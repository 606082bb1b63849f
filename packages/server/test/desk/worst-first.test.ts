import { expect, it } from 'vitest'
import type { Trouble } from '../../src/operate/troubles/index.ts'
import { worstFirst } from '../../src/web/desk/overview/troubles.tsx'

function trouble(key: string, state: Trouble['state'], about?: Trouble['about']): Trouble {
  return { key, state, words: key, about, check: undefined }
}

it('heads the overview with what hurts messages and money, not with whatever was found first', () => {
  const found = [
    trouble('receipts', 'warn'),
    trouble('senders', 'warn', { kind: 'senders' }),
    trouble('low', 'warn', { kind: 'low wallets' }),
    trouble('uncertain', 'warn', { kind: 'uncertain', carrier: 'north' }),
    trouble('disk', 'fail'),
    trouble('set aside', 'fail', { kind: 'set aside' }),
  ]
  expect(worstFirst(found).map(({ key }) => key)).toEqual([
    'set aside',
    'disk',
    'uncertain',
    'low',
    'senders',
    'receipts',
  ])
})
