import { micros } from '@wigwag/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Begun } from '../../src/operate/cells/index.ts'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { runProgram, temporaryFolder } from '../cli/program.ts'
import { balanceAt, change, join, postedIn, rows, usedAccount } from './accounts.ts'
import { clock, inTime, letArrive, move, SECRET, type Served, shareCells } from './cells.ts'

let one: Served
let two: Served
beforeAll(async () => {
  ;({ one, two } = await shareCells())
})

describe('while an account moves, an operator', () => {
  let account: AccountSecrets
  const AMOUNT = micros(1_000_000)
  const EMAIL = 'viewer@changes.example'
  const MEMBER = 'sender@changes.example'
  beforeAll(async () => {
    account = (await usedAccount(one, 'changes')).account
    await one.cell.people.invite(account.accountId, EMAIL, 'viewer')
    await join(one, account.accountId, MEMBER)
    await letArrive(account.accountId, one.cell, two.cell)
  })

  it.each<[string, (cell: Served['cell'], id: string) => Promise<unknown>]>([
    ['credits nothing', ({ operator }, id) => operator.credit(id, AMOUNT, 'invoice-77')],
    ['debits nothing', ({ operator }, id) => operator.debit(id, AMOUNT)],
    ['sets no warning', ({ operator }, id) => operator.warn(id, AMOUNT)],
    ['approves no sender ID', ({ operator }, id) => operator.setSender(id, 'OTHER', 'approved')],
    ['does not resume it', ({ operator }, id) => operator.setStatus(id, 'active')],
    ['replaces no client secret', ({ operator }, id) => operator.rotateSecret(id)],
    ['replaces no wallet token', ({ operator }, id) => operator.rotateWalletToken(id)],
    ['replaces no callback secret', ({ operator }, id) => operator.rotateCallbackSecret(id)],
    ['does not erase it', (cell, id) => eraseAccount(cell, id, { despiteBalance: true })],
    ['sets no password', ({ operator }, id) => operator.setPassword(id, 'a hash')],
    ['invites nobody', ({ people }, id) => people.invite(id, 'new@changes.example', 'viewer')],
    ['withdraws no invitation', ({ people }, id) => people.withdraw(id, EMAIL)],
    ['gives nobody another role', ({ people }, id) => people.setRole(id, MEMBER, 'viewer')],
    ['takes nobody out', ({ people }, id) => people.remove(id, MEMBER)],
    ['lets nobody begin anew', ({ people }, id) => people.reset(id, MEMBER)],
    ['requires no factor', ({ people }, id) => people.requireFactor(id, true)],
    [
      'limits no assistants',
      ({ people }, id) => people.limitAssistants(id, undefined, { spend: AMOUNT, messages: 1 }),
    ],
  ])('%s where it was', async (_, act) => {
    const before = await tablesOf(account)
    await expect(act(one.cell, account.accountId)).rejects.toThrow(
      /^account \S+ is moving from one to two: finish that with the same wigwag move --account, or take it back with --undo$/,
    )
    expect(await tablesOf(account)).toEqual(before)
  })

  it('may look at it, and changes it where it is', async () => {
    await one.cell.operator.view(account.accountId, '/wallet')
    const { wallet } = await two.cell.operator.credit(account.accountId, AMOUNT, 'invoice-77')
    await move(account.accountId, one.cell, two.cell)
    expect(await postedIn(two, account)).toBe(wallet.posted)
  })

  /** Everything that could have changed. */
  function tablesOf({ accountId }: AccountSecrets) {
    return rows(
      one,
      `SELECT to_json(a) AS account, (SELECT json_agg(w) FROM wallets w WHERE w.account_id = a.id) AS wallets,
         (SELECT json_agg(json_build_array(k.id, k.ends_at) ORDER BY k.id) FROM keys k WHERE k.account_id = a.id) AS keys,
         (SELECT json_agg(s) FROM sender_ids s WHERE s.account_id = a.id) AS senders,
         (SELECT json_agg(m) FROM memberships m WHERE m.account_id = a.id) AS people,
         (SELECT json_agg(i) FROM invitations i WHERE i.account_id = a.id) AS invitations,
         (SELECT count(*) FROM messages m WHERE m.account_id = a.id) AS messages,
         (SELECT count(*) FROM audit u WHERE u.account_id = a.id) AS log
       FROM accounts a WHERE a.id = $1`,
      accountId,
    )
  }
})

describe('people of an account that moves', () => {
  const peopleOf = (served: Served, { accountId }: AccountSecrets) =>
    rows(
      served,
      `SELECT p.id, p.password_hash AS password, (SELECT count(*) FROM code_generators g WHERE g.owner_id = p.id) AS factors
       FROM memberships m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = $1 AND p.email NOT LIKE '%@example.com' ORDER BY 1`,
      accountId,
    )

  it('are let in by their own sign-in there, or by an invitation where the address is taken', async () => {
    const { account } = await usedAccount(one, 'people')
    const other = await two.front.account('other', 0)
    const comes = await join(one, account.accountId, 'comes@people.example')
    await join(one, account.accountId, 'boss@people.example')
    // Somebody of the other cell has claimed the address.
    const claimed = await join(two, other.accountId, 'boss@people.example')
    let begun: Begun | undefined
    const { invited } = await move(account.accountId, one.cell, two.cell, {
      onBegin(now) {
        begun = now
      },
    })
    expect(begun?.taken).toEqual([{ email: 'boss@people.example', role: 'sender', signsInTo: ['other'] }])
    expect(invited).toEqual([
      {
        email: 'boss@people.example',
        role: 'sender',
        signsInTo: ['other'],
        secret: expect.stringMatching(/^wi_/),
      },
    ])
    expect(await peopleOf(two, account)).toEqual([{ id: comes, password: `hash of ${comes}`, factors: 1 }])
    expect(await peopleOf(two, other)).toEqual([{ id: claimed, password: `hash of ${claimed}`, factors: 1 }])
    const { members, invited: waiting } = await two.cell.people.list(account.accountId)
    expect(members.map(({ email }) => email).sort()).toEqual(['comes@people.example', 'people@example.com'])
    expect(waiting).toMatchObject([
      { email: 'boss@people.example', role: 'sender', createdBy: 'operator:ada' },
    ])
  })

  it('are named by the command, before it moves anything and with their links', async () => {
    const { account } = await usedAccount(one, 'command')
    const { accountId } = await two.front.account('claims', 0)
    await join(one, account.accountId, 'boss@command.example')
    await join(two, accountId, 'boss@command.example')
    const run = () =>
      inTime(
        runProgram(['move', '--account', 'command@example.com'], {
          cwd: temporaryFolder(),
          env: { WIGWAG_MOVE_FROM: one.url, WIGWAG_DATABASE_URL: two.url, WIGWAG_SECRET: SECRET },
          clock,
        }),
      )
    const { code, stdout, stderr } = await run()
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^accounts +1 +1 +same$/m),
    })
    const [, link] = /^boss@command\.example, sender \(.*\): (\/invited#wi_\S+)$/m.exec(stderr) ?? []
    expect(stderr).toBe(
      `The account is suspended in one from now on: its requests get 503, and nothing new is accepted.
boss@command.example will be invited: the address signs in to two already, to claims.
Account ${account.accountId} works in two. Until your proxy leads it there, it is asked to come again:
${account.clientId} two
Give these their links, behind the address of the console of two; each is good once, for three days:
boss@command.example, sender (the address signs in to two already, to claims): ${link}
Then run the same command once more: it deletes what one still has of it.
`,
    )
    expect((await run()).stderr).toBe(
      `Account ${account.accountId} is in two, and nothing of it is left in one.\n`,
    )
  })

  it('who have left it take nothing along to sign in with', async () => {
    const { account } = await usedAccount(one, 'leavers')
    const gone = await join(one, account.accountId, 'gone@leavers.example')
    const stays = await one.front.account('stays', 0)
    await change(
      one,
      "INSERT INTO memberships (account_id, person_id, role, created_at, created_by) VALUES ($1, $2, 'sender', 2, 'operator:ada')",
      stays.accountId,
      gone,
    )
    await one.cell.people.remove(account.accountId, 'gone@leavers.example')
    const { invited } = await move(account.accountId, one.cell, two.cell)
    expect(invited).toEqual([])
    expect(await peopleOf(two, account)).toEqual([{ id: gone, password: null, factors: 0 }])
    expect(await peopleOf(one, stays)).toEqual([{ id: gone, password: `hash of ${gone}`, factors: 1 }])
  })
})

describe('a move is refused before anything is changed', () => {
  let account: AccountSecrets
  beforeAll(async () => {
    account = await one.front.account('refused', 5)
  })

  async function expectRefused(source: Served, target: Served, message: RegExp): Promise<void> {
    await expect(move(account.accountId, source.cell, target.cell)).rejects.toThrow(message)
    expect((await balanceAt(one, account)).status).toBe(200)
  }

  it('into its own cell', () => expectRefused(one, one, /expected two cells, got one twice/))

  it('of an account that is not there', () => expectRefused(two, one, /is in one already/))

  it('where another account has the address', async () => {
    await two.front.account('refused', 0)
    await expectRefused(one, two, /two has another account for refused@example.com, /)
  })

  it('into a database of another kind', async () => {
    const set = (kind: string) =>
      two.cell.database.write(({ run }) =>
        run("UPDATE settings SET value = $1 WHERE name = 'environment'", [kind]),
      )
    await set('production')
    await expectRefused(one, two, /one, which is sandbox, and two, which is production/)
    await set('sandbox')
  })

  it('without prices in its currency', async () => {
    account = await one.front.account('priceless', 5)
    await one.cell.database.write(({ run }) =>
      run("UPDATE wallets SET currency = 'XOF' WHERE account_id = $1", [account.accountId]),
    )
    await expectRefused(one, two, /two has no prices in XOF: import them first with wigwag rates import/)
  })
})
