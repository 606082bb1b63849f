import { toDecimal } from '../../domain/money.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { instant } from '../wire.ts'

export function getBalance(queries: Queries): Handler<'getBalance'> {
  return async ({ principal }) => {
    const { balance, currency, asOf } = await queries.balance(walletOf(principal))
    return { body: { balance: toDecimal(balance), currency, asOf: instant(asOf) } }
  }
}
