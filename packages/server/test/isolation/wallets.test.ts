import { micros } from '@wigwag/contract'
import { operations } from '@wigwag/contract/operations'
import { zMessagePage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { insertKeys } from '../../src/accounts/keys.ts'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { newKey } from '../../src/accounts/secrets.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { creditWallet, insertWallet } from '../../src/money/wallets.ts'
import { connect } from '../support/assistants.ts'
import { type Bench, openBench } from '../support/bench.ts'
import { MESSAGE } from '../support/harness.ts'
import { type About, answerOf, ask, OPERATIONS } from './requests.ts'
import { answerByName, furnish } from './world.ts'

const SPARE = 'a-spare-wallet'
const TABLES = { wallets: 'id', messages: 'wallet_id', callbacks: 'wallet_id', hourly_totals: 'wallet_id' }

/** Gives the account of a bench a second wallet, with something of everything in it. */
async function furnishSpare(bench: Bench): Promise<About> {
  const secrets: AccountSecrets = { ...bench.demo, walletToken: 'token-of-the-spare-wallet' }
  await bench.database.write(async (tx) => {
    const { accountId, walletToken } = secrets
    await insertWallet(tx, { id: SPARE, accountId, currency: 'GHS' }, epochMs(bench.now() + 1))
    const owner = { accountId, kind: 'wallet', ownerId: SPARE } as const
    await insertKeys(tx, [await newKey(tx, owner, walletToken, bench)])
    await creditWallet(tx, SPARE, micros(1_000_000), bench.now())
  })
  return furnish(bench, secrets, 'spare', '233243333333')
}

const spareRows = ({ database }: Bench) =>
  database.read(async ({ run }) => {
    const rows: object[] = []
    for (const [table, column] of Object.entries(TABLES))
      rows.push(...(await run(`SELECT * FROM ${table} WHERE ${column} = $1 ORDER BY 1, 2, 3`, [SPARE])))
    return rows
  })

describe('a connection, which is bound to one wallet', () => {
  it.each(OPERATIONS)("sees and changes nothing of another of its account's wallets with %s", async (id) => {
    const bench = await openBench({ answer: answerByName })
    const about = await furnishSpare(bench)
    const { headers } = await connect(bench, bench.demo.accountId)
    const before = await spareRows(bench)
    const named = 'pathParameters' in operations[id] && id !== 'getRates'
    const answer = await ask(bench, id, headers, about)
    const opens = 'scope' in operations[id]
    expect(answer.status).toBe(opens ? (named ? 404 : 200) : 401)
    const text = (await answer.text()).replaceAll(about.ticket, 'asked').replaceAll(about.scheduled, 'asked')
    expect(text).not.toMatch(/spare: text|spare-|spare\.example|a-spare-wallet|233243333333/)
    await bench.advance(0)
    expect(await spareRows(bench)).toEqual(before)
  })
})

describe('a reference that two wallets of an account have used', () => {
  it.each(['spare-delivered', 'spare-waiting'])(
    "finds only the caller's own message: %s",
    async (Reference) => {
      const bench = await openBench({ answer: answerByName })
      await furnishSpare(bench)
      const { headers } = await connect(bench, bench.demo.accountId)
      const found = async () => {
        const answer = bench.call('GET', `/v1/messages?${new URLSearchParams({ Reference })}`, headers)
        return (await answerOf(answer, zMessagePage)).Items.map(({ MessageId }) => MessageId)
      }
      expect(await found()).toEqual([])
      const sent = await bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, Reference })
      const { Ticket }: { Ticket: string } = await sent.json()
      expect(await found()).toEqual([Ticket])
      await bench.advance(60_000)
      expect(await found()).toEqual([Ticket])
    },
  )
})
