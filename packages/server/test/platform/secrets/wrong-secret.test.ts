import { micros } from '@wigwag/contract'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import {
  type OperatorParts,
  openGatewayParts,
  openOperatorParts,
} from '../../../src/gateway/operator-parts.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { reseal } from '../../../src/store/secrets/reseal.ts'
import { WrongSecret } from '../../../src/store/secrets/sealing.ts'
import { readSetting } from '../../../src/store/settings.ts'
import { type EngineName, makePlace } from '../../support/engine.ts'

interface Secrets {
  now: string
  before?: string
}

const OLD = { now: 'the old secret' }
const NEW = { now: 'the new secret' }
const BOTH = { now: NEW.now, before: OLD.now }

const ENGINES: EngineName[] = ['an SQLite file', 'PostgreSQL']

async function placeOn(engine: EngineName) {
  const { url, remove } = await makePlace(engine)
  onTestFinished(remove)
  const opened =
    (how: typeof openOperatorParts) =>
    async ({ now, before }: Secrets): Promise<OperatorParts> => {
      const secrets = { WIGWAG_SECRET: now, ...(before && { WIGWAG_SECRET_PREVIOUS: before }) }
      const log = pino({ level: 'silent' })
      const parts = await how(loadConfig({ database: url }, secrets), {
        clock: systemClock,
        acting: { actor: 'operator:ama' },
        log,
        onFatal() {},
      })
      onTestFinished(() => parts.close())
      return parts
    }
  const start = opened(openGatewayParts)
  let last: OperatorParts | undefined
  /** On an SQLite file, one gateway ends before the next one starts. */
  async function gateway(secrets: Secrets): Promise<OperatorParts> {
    if (engine === 'an SQLite file') await last?.close()
    last = await start(secrets)
    return last
  }
  return { gateway, command: opened(openOperatorParts) }
}

let accounts = 0
function newAccount({ operator }: OperatorParts) {
  const email = `${accounts++}@example.com`
  return operator.createAccount({ name: 'Ama', email, currency: 'GHS', balance: micros(0), senders: [] })
}

/** Whether the parts open the callback secret of an account, as a gateway does before it signs. */
async function opens({ database, sealer }: OperatorParts, account: string): Promise<boolean> {
  const rows = await database.read(({ run }) =>
    run<{ id: string; stored: string }>(
      "SELECT id, stored FROM keys WHERE kind = 'callback' AND account_id = $1",
      [account],
    ),
  )
  try {
    return rows.map(({ id, stored }) => sealer.open(stored, { table: 'keys', key: id })).length > 0
  } catch (error) {
    expect(error).toBeInstanceOf(WrongSecret)
    return false
  }
}

describe.each(ENGINES)('the secret of a database on %s', (engine) => {
  const place = () => placeOn(engine)

  it('is any secret at first, and then no gateway starts with another', async () => {
    const { gateway } = await place()
    await gateway(OLD)
    await expect(gateway(NEW)).rejects.toThrow(WrongSecret)
    await expect(gateway(OLD)).resolves.toBeDefined()
  })

  it('lets a command with a wrong one read, and seal nothing', async () => {
    const { gateway, command } = await place()
    const running = await gateway(OLD)
    const { accountId } = await newAccount(running)
    const wrong = await command(NEW)
    await expect(wrong.operator.setStatus(accountId, 'suspended')).resolves.toMatchObject({
      changed: true,
    })
    await expect(newAccount(wrong)).rejects.toThrow(WrongSecret)
    await expect(wrong.operator.rotateCallbackSecret(accountId)).rejects.toThrow(WrongSecret)
    await expect(wrong.keyring.rotate()).rejects.toThrow(WrongSecret)
    await expect(wrong.standalone.add('https://mcp.example.com/mcp')).rejects.toThrow(WrongSecret)
    expect(await opens(running, accountId)).toBe(true)
  })

  it('cannot be taken away before everything is sealed again, which goes on after an interruption', async () => {
    const { gateway, command } = await place()
    const { accountId } = await newAccount(await gateway(OLD))
    const parts = await command(BOTH)
    let writes = 0
    const interrupted = {
      ...parts.database,
      write: ((work, options) => {
        writes++
        if (writes > 1) throw new Error('killed')
        return parts.database.write(work, options)
      }) satisfies OperatorParts['database']['write'],
    }
    await expect(reseal(interrupted, parts.boxes())).rejects.toThrow('killed')
    await expect(gateway(NEW)).rejects.toThrow(/WIGWAG_SECRET_PREVIOUS .* wigwag secret reseal/)
    await reseal(parts.database, parts.boxes())
    expect(await opens(await gateway(NEW), accountId)).toBe(true)
  })

  it('leaves what no secret opens, and says what to do about it', async () => {
    const { gateway, command } = await place()
    const parts = await gateway(OLD)
    await newAccount(parts)
    await newAccount(parts)
    await parts.database.write(({ run }) =>
      run(
        "UPDATE keys SET stored = 'v1.bm90aGluZw' WHERE id = (SELECT max(id) FROM keys WHERE kind = 'callback')",
        [],
      ),
    )
    const operator = await command(BOTH)
    expect(await reseal(operator.database, operator.boxes())).toMatchObject({
      total: 1,
      resealed: 1,
      stuck: [expect.stringContaining('wigwag account rotate-callback-secret')],
    })
    await expect(gateway(NEW)).resolves.toBeDefined()
  })

  it.each([
    ['a callback secret', "keys WHERE kind = 'callback'", 'id', 'stored'],
    ['a sign-in key', 'oauth_keys', 'id', 'sealed'],
    ["a connector's secret", 'connectors', 'id', 'secret'],
  ])('does not open %s in the row of another', async (_, from, key, column) => {
    const { gateway, command } = await place()
    const parts = await gateway(OLD)
    const made = [await newAccount(parts), await newAccount(parts)]
    const connectors = [
      await parts.standalone.add('https://one.example/mcp'),
      await parts.standalone.add('https://two.example/mcp'),
    ]
    await parts.keyring.current()
    const swap = () =>
      parts.database.write(async ({ run }) => {
        const [one, two, ...more] = await run<{ id: string; sealed: string }>(
          `SELECT ${key} AS id, ${column} AS sealed FROM ${from} ORDER BY 1`,
          [],
        )
        expect(more).toEqual([])
        const [table] = from.split(' ')
        const put = `UPDATE ${table} SET ${column} = $1 WHERE ${key} = $2`
        await run(put, ['nothing', one?.id ?? ''])
        await run(put, [one?.sealed ?? '', two?.id ?? ''])
        await run(put, [two?.sealed ?? '', one?.id ?? ''])
      })
    /** How many of them open, as those that use them open them. */
    async function opening(): Promise<number> {
      const uses = column === 'secret' ? connectors.map(({ id }) => parts.standalone.find(id)) : []
      if (column === 'sealed') uses.push(parts.keyring.current().then(() => undefined))
      const used = await Promise.allSettled(uses)
      for (const each of used) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(WrongSecret)
      const accounts = column === 'stored' ? made.map(({ accountId }) => opens(parts, accountId)) : []
      const opened = await Promise.all(accounts)
      return used.filter(({ status }) => status === 'fulfilled').length + opened.filter(Boolean).length
    }
    const all = await opening()
    expect(all).toBeGreaterThan(0)
    await swap()
    expect(await opening()).toBe(0)
    const operator = await command(BOTH)
    const { stuck } = await reseal(operator.database, operator.boxes())
    expect(stuck).toHaveLength(2)
    await swap()
    expect(await opening()).toBe(all)
  })
})

describe('the secret of several gateways', () => {
  it('is one for gateways that start at once with different ones', async () => {
    const { gateway } = await placeOn('PostgreSQL')
    const started = await Promise.allSettled([gateway(OLD), gateway(NEW), gateway(OLD), gateway(NEW)])
    const secrets = [OLD, NEW, OLD, NEW].filter((_, index) => started[index]?.status === 'fulfilled')
    expect(secrets).toHaveLength(2)
    expect(new Set(secrets).size).toBe(1)
  })

  it('lets several gateways move to another while all of them work', async () => {
    const { gateway, command } = await placeOn('PostgreSQL')
    const first = await gateway(OLD)
    const accountsMade = [await newAccount(first)]
    const restarted = await gateway(BOTH)
    accountsMade.push(await newAccount(restarted))
    for (const { accountId } of accountsMade) expect(await opens(first, accountId)).toBe(true)

    const second = await gateway(BOTH)
    const operator = await command(BOTH)
    expect(await reseal(operator.database, operator.boxes())).toMatchObject({ resealed: 2, stuck: [] })
    accountsMade.push(await newAccount(restarted))
    const last = await gateway(NEW)
    for (const parts of [restarted, second, last]) {
      for (const { accountId } of accountsMade) expect(await opens(parts, accountId)).toBe(true)
    }
    await expect(gateway(OLD)).rejects.toThrow(WrongSecret)
    expect(await last.database.read((tx) => readSetting(tx, 'secret_mark_before'))).toBeUndefined()
  })
})
