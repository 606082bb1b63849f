import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { endMembership, join, lockRoles, setRole } from '../../src/accounts/people/index.ts'
import { putRecord } from '../../src/assistants/oauth/records.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import { newAccount } from '../isolation/world.ts'
import {
  type Assistant,
  asOwner,
  connect,
  ownerIdOf,
  tokenFor,
  WIDE,
  walletIdOf,
} from '../support/assistants.ts'
import { aPlace, ENGINES, openBench } from '../support/bench.ts'
import { duringWrite } from '../support/during-write.ts'

const A_DAY = 86_400_000
const LIMITS = {
  dailySpend: micros(5_000_000),
  dailyMessages: 20,
  recipients: ['233241234567', '23320*'],
  unasked: 'refuse' as const,
}

describe.each(ENGINES)('the connections of an account on %s', (engine) => {
  const open = async () => openBench({ database: await aPlace(engine) })

  it('are listed with what the person allowed, the newest first and those that ended last', async () => {
    const bench = await open()
    const { connections, demo } = bench
    const first = await connect(bench, demo.accountId, LIMITS)
    await bench.advance(1_000)
    const second = await connect(bench, demo.accountId, 'only reading')
    await bench.advance(1_000)
    const third = await connect(bench, demo.accountId)
    await connect(bench, (await newAccount(bench, 'other')).accountId)
    await connections.revoke(asOwner(demo.accountId), first.id)
    const wallet = { id: await walletIdOf(bench, demo.accountId), currency: 'GHS' }
    const client = {
      clientId: 'https://assistant.example/client.json',
      clientName: 'Assistant',
      redirectHost: 'assistant.example',
    }
    const by = { personId: await ownerIdOf(bench, demo.accountId), email: 'demo@wigwag.dev' }
    const unused = { ...client, ...by, wallet, lastUsedAt: undefined, today: { spent: 0, messages: 0 } }
    const now = bench.now()
    expect(await connections.list(demo.accountId)).toEqual([
      { ...unused, id: third.id, createdAt: now, endedAt: undefined, limits: WIDE },
      { ...unused, id: second.id, createdAt: now - 1_000, endedAt: undefined, limits: undefined },
      { ...unused, id: first.id, createdAt: now - 2_000, endedAt: now, limits: LIMITS },
    ])
    bench.jump(30 * A_DAY)
    expect(await connections.list(demo.accountId)).toHaveLength(3)
    bench.jump(1)
    expect((await connections.list(demo.accountId)).map(({ id }) => id)).toEqual([third.id, second.id])
  })

  it('belong to a wallet of the account, or are not made', async () => {
    const bench = await open()
    const { accountId } = await newAccount(bench, 'other')
    const [mine, others] = [bench.demo.accountId, await walletIdOf(bench, accountId)]
    const made = { grantId: 'g', clientId: 'c', clientName: 'C', redirectHost: 'h', limits: undefined }
    await expect(
      bench.connections.create({ ...made, accountId: mine, personId: 'an-owner', walletId: others }),
    ).rejects.toThrow(/has no wallet/)
    expect(await bench.connections.list(mine)).toEqual([])
  })

  it('are not made by who left the account, or may let in none, since the page was shown', async () => {
    const bench = await open()
    const { connections, demo, database } = bench
    const { accountId } = demo
    await connect(bench, accountId)
    const [personId, walletId] = [await ownerIdOf(bench, accountId), await walletIdOf(bench, accountId)]
    const client = { clientId: 'c', clientName: 'C', redirectHost: 'h' }
    const create = (grantId: string, limits: typeof LIMITS | undefined) =>
      connections.create({ ...client, accountId, personId, walletId, grantId, limits })
    const isOf = (role: Role) => database.write((tx) => setRole(tx, { accountId, personId }, role))
    const grant = { model: 'Grant', id: 'g', grantId: null, payload: '{}', expiresAt: 0 }
    await database.write((tx) => putRecord(tx, grant, bench.now()))

    await isOf('viewer')
    expect(await create('g', undefined)).toBeUndefined()
    await isOf('developer')
    expect(await create('g', LIMITS)).toBeUndefined()
    expect(await create('h', undefined)).toBeDefined()
    const removed = await duringWrite(
      engine,
      database,
      async (tx) => {
        await lockRoles(tx, accountId)
        await endMembership(tx, { accountId, personId }, bench.now())
      },
      () => create('i', undefined),
    )
    expect(removed).toBeUndefined()
    expect(await connections.list(accountId)).toHaveLength(2)
    expect(await database.read(({ run }) => run('SELECT id FROM oauth_records', []))).toEqual([])
  })

  it('take other limits from their own account, while they live and may send', async () => {
    const bench = await open()
    const { connections, demo } = bench
    const { accountId: stranger } = await newAccount(bench, 'other')
    const sender = await connect(bench, demo.accountId)
    const reader = await connect(bench, demo.accountId, 'only reading')
    const ended = await connect(bench, demo.accountId)
    await connections.revoke(asOwner(demo.accountId), ended.id)
    const change = (accountId: string, id: string) => connections.changeLimits(asOwner(accountId), id, LIMITS)
    expect(await change(demo.accountId, sender.id)).toBe(true)
    expect(await change(stranger, sender.id)).toBe(false)
    expect(await change(demo.accountId, reader.id)).toBe(false)
    expect(await change(demo.accountId, ended.id)).toBe(false)
    expect(await change(demo.accountId, 'nothing')).toBe(false)
    const limits = new Map((await connections.list(demo.accountId)).map((view) => [view.id, view.limits]))
    expect([sender, reader, ended].map(({ id }) => limits.get(id))).toEqual([LIMITS, undefined, WIDE])
  })

  it('end with a new password, unless they are kept, and those of others stay', async () => {
    const bench = await open()
    const { operator, connections, demo, call } = bench
    const other = await newAccount(bench, 'other')
    const theirs = await connect(bench, other.accountId)
    const [one, two] = [await connect(bench, demo.accountId), await connect(bench, demo.accountId)]
    const balance = async ({ headers }: Assistant) =>
      (await call('GET', '/v1/account/balance', headers)).status
    await operator.setPassword(demo.accountId, 'hash', { keepConnections: true })
    expect(await Promise.all([one, two, theirs].map(balance))).toEqual([200, 200, 200])
    const ended = await operator.setPassword(demo.accountId, 'another hash')
    expect(ended.toSorted()).toEqual([one.id, two.id].toSorted())
    expect(await Promise.all([one, two, theirs].map(balance))).toEqual([401, 401, 200])
    expect((await connections.list(demo.accountId)).map(({ endedAt }) => endedAt)).toEqual([
      bench.now(),
      bench.now(),
    ])
  })

  it('are ended by the operator one at a time or all, each with a row in the audit', async () => {
    const bench = await open()
    const { demo, database } = bench
    const { connections } = bench.operator
    const { accountId: stranger } = await newAccount(bench, 'other')
    const ids: string[] = []
    for (let index = 0; index < 3; index++) ids.push((await connect(bench, demo.accountId)).id)
    const [first = ''] = ids
    expect(await connections.end(demo.accountId, first)).toEqual([first])
    for (const [account, id] of [
      [demo.accountId, first],
      [stranger, ids[1] ?? ''],
      [demo.accountId, 'none'],
    ] as const)
      await expect(connections.end(account, id)).rejects.toThrow(`has no active connection ${id}`)
    expect(await connections.end(demo.accountId, 'all')).toEqual(ids.slice(1))
    expect(await connections.end(demo.accountId, 'all')).toEqual([])
    const rows = await database.read(({ run }) =>
      run<{ actor: string; detail: string }>(
        "SELECT actor, detail FROM audit WHERE action = 'connection.end' AND account_id = $1 ORDER BY id",
        [demo.accountId],
      ),
    )
    expect(rows.map(({ actor, detail }) => [actor, JSON.parse(detail).connection])).toEqual(
      ids.map((id) => ['gateway', id]),
    )
  })

  it('end with a new password in the other accounts of that person too', async () => {
    const bench = await open()
    const { operator, demo, call } = bench
    const { accountId } = await newAccount(bench, 'other')
    const personId = await ownerIdOf(bench, demo.accountId)
    await bench.database.write((tx) =>
      join(tx, { accountId, personId, role: 'sender', by: 'tests' }, bench.now()),
    )
    const { headers } = await connect(bench, accountId, 'only reading', personId)
    await operator.setPassword(demo.accountId, 'hash')
    expect((await call('GET', '/v1/account/balance', headers)).status).toBe(401)
  })

  it('end by their own account alone, with every token and every record of their grant', async () => {
    const bench = await open()
    const { connections, demo, database } = bench
    const { accountId: stranger } = await newAccount(bench, 'other')
    const [one, other] = [await connect(bench, demo.accountId), await connect(bench, demo.accountId)]
    await tokenFor(bench, one.id)
    await database.write(async (tx) => {
      for (const { grantId } of [one, other]) {
        const record = { payload: '{}', grantId: null, expiresAt: 0 }
        for (const each of [
          { ...record, model: 'Grant', id: grantId },
          { ...record, model: 'RefreshToken', id: `digest of ${grantId}`, grantId },
          { ...record, model: 'Session', id: grantId },
        ])
          await putRecord(tx, each, bench.now())
      }
    })
    const left = () =>
      database.read(async ({ run }) => ({
        tokens: await run('SELECT connection_id AS of FROM delegated_tokens', []),
        records: await run('SELECT model, id FROM oauth_records ORDER BY model, id', []),
      }))
    const before = await left()
    expect(await connections.revoke(asOwner(stranger), one.id)).toBe(false)
    expect(await left()).toEqual(before)
    expect(await connections.revoke(asOwner(demo.accountId), one.id)).toBe(true)
    const sessions = [one.grantId, other.grantId].sort().map((id) => ({ model: 'Session', id }))
    expect(await left()).toEqual({
      tokens: [{ of: other.id }],
      records: [
        { model: 'Grant', id: other.grantId },
        { model: 'RefreshToken', id: `digest of ${other.grantId}` },
        ...sessions,
      ],
    })
    expect(await connections.revoke(asOwner(demo.accountId), one.id)).toBe(false)
  })

  it('are found by their grant while they live and their account is active', async () => {
    const bench = await open()
    const { connections, demo, operator } = bench
    const { accountId } = demo
    const sender = await connect(bench, accountId)
    const reader = await connect(bench, accountId, 'only reading')
    const ended = await connect(bench, accountId)
    await connections.endByGrant(ended.grantId, 'reuse of a refresh token')
    expect(await connections.byGrant(sender.grantId)).toEqual({
      id: sender.id,
      accountId,
      canSend: true,
      unasked: 'send',
      lastUsedAt: 0,
    })
    expect(await connections.byGrant(reader.grantId)).toEqual({
      id: reader.id,
      accountId,
      canSend: false,
      unasked: 'refuse',
      lastUsedAt: 0,
    })
    expect(await connections.byGrant(ended.grantId)).toBeUndefined()
    expect(await connections.byGrant('nothing')).toBeUndefined()
    await operator.setStatus(accountId, 'suspended')
    expect(await connections.byGrant(sender.grantId)).toBeUndefined()
    await operator.setStatus(accountId, 'active')
    expect(await connections.byGrant(sender.grantId)).toMatchObject({ id: sender.id })
  })

  it('leave an audit row of every change, and of none that changed nothing', async () => {
    const bench = await open()
    const { connections, demo, database } = bench
    const { accountId } = demo
    const one = await connect(bench, accountId, LIMITS)
    await connections.changeLimits(asOwner(accountId), one.id, { ...LIMITS, recipients: undefined })
    await connections.revoke(asOwner(accountId), one.id)
    await connections.revoke(asOwner(accountId), one.id)
    await connections.endByGrant(one.grantId, 'revoked')
    const two = await connect(bench, accountId, 'only reading')
    await connections.changeLimits(asOwner(accountId), two.id, LIMITS)
    await connections.endByGrant(two.grantId, 'reuse of a refresh token')
    await connections.endByGrant(two.grantId, 'reuse of a refresh token')
    const rows = await database.read(({ run }) =>
      run<{ actor: string; action: string; detail: string }>(
        "SELECT actor, action, detail FROM audit WHERE action LIKE 'connection.%' AND account_id = $1 ORDER BY id",
        [accountId],
      ),
    )
    const by = expect.stringMatching(/^person:/)
    const recipients = '233241234567 23320*'
    const limited = { dailySpend: 5, dailyMessages: 20, unasked: 'refuse' }
    const said = rows.map(({ actor, action, detail }) => [actor, action, JSON.parse(detail)])
    expect(said).toMatchObject([
      [by, 'connection.create', { connection: one.id, canSend: 1, ...limited, recipients }],
      [by, 'connection.limits', { connection: one.id, ...limited, recipients: null }],
      [by, 'connection.revoke', { connection: one.id }],
      [by, 'connection.create', { connection: two.id, canSend: 0 }],
      ['oauth', 'connection.end', { connection: two.id, reason: 'reuse of a refresh token' }],
    ])
  })
})

it.each([
  { dailySpend: micros(-1) },
  { dailyMessages: -1 },
  { dailyMessages: 1.5 },
  { dailyMessages: Number.NaN },
  { recipients: ['23320* *'] },
  { recipients: ['*'] },
  { recipients: [''] },
  { recipients: ['+233241234567'] },
])('a connection never takes limits such as %j', async (wrong) => {
  const bench = await openBench()
  const { id } = await connect(bench, bench.demo.accountId, LIMITS)
  const change = async () =>
    bench.connections.changeLimits(asOwner(bench.demo.accountId), id, { ...LIMITS, ...wrong })
  await expect(change()).rejects.toThrow(RangeError)
  expect(await bench.connections.list(bench.demo.accountId)).toMatchObject([{ limits: LIMITS }])
})
