import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import { expect, it } from 'vitest'
import { amountOf, changeOf, money, moneyOfDecimal } from '../../src/kernel/money/shown.ts'

it('writes an amount with two decimals, and more only as needed', () => {
  expect([0, 500_000, 42_000, 1_204_500_000, 98_765_432_100_001].map(amountOf)).toEqual([
    '0.00',
    '0.50',
    '0.042',
    '1,204.50',
    '98,765,432.100001',
  ])
})

it('writes the currency before it, and a sign before both', () => {
  expect(money(micros(4_000_000), 'USD')).toBe('USD 4.00')
  expect(money(-4_000_000, 'USD')).toBe('− USD 4.00')
  expect(amountOf(-65_000)).toBe('− 0.065')
  expect(changeOf(micros(25_000_000), true)).toBe('+ 25.00')
  expect(changeOf(micros(42_000), false, 'GHS')).toBe('− GHS 0.042')
})

it('writes an amount that JSON has as it writes the micros', () => {
  expect([0, 0.1, 0.3, 0.042, 1204.5].map((amount) => moneyOfDecimal(amount, 'GHS'))).toEqual([
    'GHS 0.00',
    'GHS 0.10',
    'GHS 0.30',
    'GHS 0.042',
    'GHS 1,204.50',
  ])
})

it('is the only place that pages and commands write a currency beside an amount', async () => {
  const root = join(import.meta.dirname, '../../src')
  const found: string[] = []
  for (const folder of ['web', 'cli', 'mail', 'operate', 'assistants/consent']) {
    for (const file of await readdir(join(root, folder), { recursive: true })) {
      if (!/\.tsx?$/.test(file)) continue
      const text = await readFile(join(root, folder, file), 'utf8')
      const beside =
        /(?:Amount|amountOf|toDecimal)\([^`\n]*\)\}? \$?\{\w*\.?currency\}|\{\w*\.?currency\} \$?\{\w*(?:mount|Decimal)/i
      if (beside.test(text)) found.push(join(folder, file))
    }
  }
  expect(found).toEqual([])
})
