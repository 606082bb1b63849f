import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { processCount } from '../../src/config/database-settings.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

const load = (environment: Record<string, string>) => loadConfig({}, environment)

const WHSEC = 'whsec_b3BlcmF0b3JzIG93biBzZWNyZXQ='

const PRODUCTION = {
  WIGWAG_ENV: 'production',
  WIGWAG_SECRET: 'x'.repeat(32),
  WIGWAG_CARRIER: 'simulator',
}

describe('the settings', () => {
  it('take a flag over the environment', () => {
    expect(loadConfig({ port: '1' }, { WIGWAG_PORT: '2' }).port).toBe(1)
    expect(load({ WIGWAG_PORT: '2' }).port).toBe(2)
  })

  it.each([
    [{ WIGWAG_PORT: '65536' }, 'WIGWAG_PORT: expected a port from 0 to 65535, got "65536".'],
    [{ WIGWAG_ENV: 'test' }, 'WIGWAG_ENV: expected sandbox or production, got "test".'],
    [{ WIGWAG_RATE_LIMIT: 'ten' }, 'WIGWAG_RATE_LIMIT: expected a whole number from 0, got "ten".'],
    [
      { WIGWAG_ENV: 'production' },
      'WIGWAG_SECRET: expected at least 32 characters in production, got nothing',
    ],
    [
      { WIGWAG_ENV: 'production', WIGWAG_SECRET: 'a' },
      '32 characters in production, got 1. Make one with `openssl',
    ],
    [{ ...PRODUCTION, WIGWAG_SECRET: 'x'.repeat(31) }, 'got 31.'],
    [{ ...PRODUCTION, WIGWAG_METRICS_PORT: 'x' }, 'WIGWAG_METRICS_PORT: expected a port'],
    [
      { WIGWAG_SIMULATOR_TROUBLE: 'forget=30 luck=1' },
      'out of unanswered, disconnect, forget, early, late, twice, got "luck=1".',
    ],
    [{ WIGWAG_SIMULATOR_TROUBLE: 'forget' }, 'WIGWAG_SIMULATOR_TROUBLE: expected words such as'],
    [{ WIGWAG_SIMULATOR_TROUBLE: 'forget=101' }, 'parts of a hundred'],
    [{ WIGWAG_SIMULATOR_WINDOW: '0' }, 'WIGWAG_SIMULATOR_WINDOW: expected a whole number from 1, got "0".'],
    [
      { WIGWAG_DATABASE_URL: 'postgres://user:a-password@one,two:x/name' },
      'WIGWAG_DATABASE_URL: expected each host as name, name:port or [IPv6]:port, with commas in between as in postgres://user@one:5432,two:5432/name; number 2 is none of these.',
    ],
    [
      { WIGWAG_DATABASE_URL: 'mysql://user:a-password@host/name' },
      'WIGWAG_DATABASE_URL: expected a database such as file:./wigwag.db or postgres://user@host/name, got mysql',
    ],
    [{ WIGWAG_DATABASE_URL: 'postgres:user:a-password@host' }, ' got …@host'],
    [{ WIGWAG_MCP_DAILY_SPEND: 'all' }, 'WIGWAG_MCP_DAILY_SPEND: '],
    [{ WIGWAG_MCP_DAILY_MESSAGES: '-1' }, 'WIGWAG_MCP_DAILY_MESSAGES: expected a whole number'],
    [{ WIGWAG_MCP_RECIPIENTS: '23324*,+233' }, 'WIGWAG_MCP_RECIPIENTS: expected numbers'],
    [{ WIGWAG_TRUSTED_PROXIES: '127.0.0.1' }, 'WIGWAG_TRUSTED_PROXIES: allowed CIDR "127.0.0.1": expected'],
    [{ WIGWAG_CALLBACK_ALLOW: '10.1.0.0/8' }, 'did you mean 10.0.0.0/8?'],
    [
      { WIGWAG_OPERATOR_WEBHOOK: 'ops.example.com', WIGWAG_OPERATOR_WEBHOOK_SECRET: WHSEC },
      'WIGWAG_OPERATOR_WEBHOOK: expected a URL such as https://ops.example.com/wigwag, without user name and password, got "ops.example.com".',
    ],
    [{ WIGWAG_OPERATOR_WEBHOOK_SECRET: WHSEC }, 'WIGWAG_OPERATOR_WEBHOOK: expected a URL'],
    [
      { WIGWAG_OPERATOR_WEBHOOK: 'https://ops.example.com/' },
      'WIGWAG_OPERATOR_WEBHOOK_SECRET: expected a secret of the form whsec_<base64>, got nothing.',
    ],
    [
      { WIGWAG_OPERATOR_WEBHOOK: 'https://ops.example.com/', WIGWAG_OPERATOR_WEBHOOK_SECRET: 'hunter2' },
      'WIGWAG_OPERATOR_WEBHOOK_SECRET: expected a secret of the form whsec_<base64>, got something else.',
    ],
    [{ WIGWAG_MCP_RECIPIENTS: ' , ' }, 'WIGWAG_MCP_RECIPIENTS: expected numbers'],
    [{ WIGWAG_RETAIN_DAYS: '0' }, 'WIGWAG_RETAIN_DAYS: expected a whole number from 1, got "0".'],
    [{ WIGWAG_RETAIN_AUDIT_DAYS: '' }, 'WIGWAG_RETAIN_AUDIT_DAYS: expected a limit, got nothing'],
    [{ WIGWAG_MCP_RECIPIENTS: '23324' }, 'expected numbers of 7 to 15 digits with country code'],
  ])('refuse %o in words', (environment, words) => {
    expect(() => load(environment)).toThrow(ConfigError)
    expect(() => load(environment)).toThrow(words)
  })

  it('name everything that is wrong at once, each thing once', () => {
    const environment = {
      WIGWAG_ENV: 'production',
      WIGWAG_PORT: 'x',
      WIGWAG_LOG_LEVEL: 'loud',
      WIGWAG_RETAIN_DAYS: '0',
      WIGWAG_RETAIN_AUDIT_DAYS: '',
    }
    const message = (() => {
      try {
        load(environment)
      } catch (error) {
        return error instanceof ConfigError ? error.message : ''
      }
    })()
    expect(message?.match(/^\w+/gm)).toEqual([
      'WIGWAG_PORT',
      'WIGWAG_SECRET',
      'WIGWAG_CARRIER',
      'WIGWAG_RETAIN_DAYS',
      'WIGWAG_RETAIN_AUDIT_DAYS',
      'WIGWAG_LOG_LEVEL',
    ])
  })
})

describe('how many processes a command runs', () => {
  const POSTGRES = 'postgres://user@host/name'

  it('is one for each two processors in production on PostgreSQL, at most eight, and else one', () => {
    const byItself = (processors: number) =>
      processCount(undefined, { database: POSTGRES, production: true }, processors)
    expect([1, 2, 3, 4, 7, 16, 64].map(byItself)).toEqual([1, 1, 1, 2, 3, 8, 8])
    expect(processCount(undefined, { database: POSTGRES, production: false }, 16)).toBe(1)
    expect(processCount(undefined, { database: 'file:./wigwag.db', production: true }, 16)).toBe(1)
    expect(processCount(undefined, { database: undefined, production: true }, 16)).toBe(1)
  })

  it('is what is set, on PostgreSQL', () => {
    expect(load({ WIGWAG_DATABASE_URL: POSTGRES, WIGWAG_PROCESSES: '20' }).processes).toBe(20)
    expect(load({ WIGWAG_PROCESSES: '1' }).processes).toBe(1)
    expect(() => load({ WIGWAG_PROCESSES: '2' })).toThrow('WIGWAG_PROCESSES: expected 1 on SQLite')
    for (const wrong of ['0', '65', 'all', '2.5'])
      expect(() => load({ WIGWAG_DATABASE_URL: POSTGRES, WIGWAG_PROCESSES: wrong })).toThrow(
        `WIGWAG_PROCESSES: expected a whole number from 1 to 64, got "${wrong}".`,
      )
  })
})

describe("the simulator's troubles", () => {
  it('are none, or those that are named', () => {
    const none = { unanswered: 0, disconnect: 0, forget: 0, early: 0, late: 0, twice: 0 }
    expect(load({}).simulator.trouble).toEqual(none)
    const trouble = { ...none, late: 100, forget: 2 }
    expect(load({ WIGWAG_SIMULATOR_TROUBLE: 'late=100, forget=2' }).simulator.trouble).toEqual(trouble)
  })
})

describe('how long data is kept', () => {
  it('is for ever, in production too, or the days that the operator set', () => {
    const forEver = { messagesMs: undefined, callbacksMs: undefined, auditMs: undefined }
    expect([load({}).retain, load(PRODUCTION).retain]).toEqual([forEver, forEver])
    const set = { WIGWAG_RETAIN_DAYS: '90', WIGWAG_RETAIN_CALLBACK_DAYS: '30' }
    expect(load(set).retain).toEqual({
      messagesMs: 7_776_000_000,
      callbacksMs: 2_592_000_000,
      auditMs: undefined,
    })
  })
})

describe('metrics', () => {
  it('are for this machine alone in production, wherever the API listens', () => {
    const { host, metrics } = load({ ...PRODUCTION, WIGWAG_HOST: '0.0.0.0' })
    expect([host, metrics]).toEqual(['0.0.0.0', { host: '127.0.0.1', port: 9464 }])
  })

  it('are elsewhere when the operator says so, and beside the API in the sandbox', () => {
    const set = { WIGWAG_METRICS_HOST: '10.0.0.5', WIGWAG_METRICS_PORT: '9000' }
    expect(load({ ...PRODUCTION, ...set }).metrics).toEqual({ host: '10.0.0.5', port: 9000 })
    expect(load(set).metrics).toBeUndefined()
  })
})

describe('the limits of assistants', () => {
  it('are none, and sending is off, when nobody set any', () => {
    const { hosts, ...limits } = load({}).mcp
    const none = undefined
    expect(limits).toEqual({ dailySpend: none, dailyMessages: none, recipients: none, unasked: 'send' })
  })

  it('are what was set', () => {
    const { mcp } = load({
      WIGWAG_MCP_DAILY_SPEND: '0.50',
      WIGWAG_MCP_DAILY_MESSAGES: '0',
      WIGWAG_MCP_RECIPIENTS: '233241234567, 23320*',
      WIGWAG_MCP_UNASKED: 'refuse',
      WIGWAG_MCP_HOSTS: 'sms.example.com',
    })
    expect(mcp).toEqual({
      dailySpend: 500_000,
      dailyMessages: 0,
      recipients: ['233241234567', '23320*'],
      unasked: 'refuse',
      hosts: ['sms.example.com'],
    })
  })

  it.each([
    'WIGWAG_MCP_DAILY_SPEND',
    'WIGWAG_MCP_DAILY_MESSAGES',
    'WIGWAG_MCP_RECIPIENTS',
    'WIGWAG_MCP_UNASKED',
  ])('are not none when %s is there and empty', (name) =>
    expect(() => load({ [name]: '' })).toThrow(`${name}: expected a limit, got nothing`),
  )

  it('let an assistant that can not ask only send or refuse', () =>
    expect(() => load({ WIGWAG_MCP_UNASKED: 'ask' })).toThrow('expected send or refuse, got "ask"'))
})

describe('a .env file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-env-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, '.env')
  const loadFrom = (...lines: string[]) => {
    writeFileSync(file, lines.join('\n'))
    return loadConfig({}, {}, folder)
  }

  it('has a NAME=value in each line, quotes and comments as usual', () => {
    const { host, port, secret } = loadFrom(
      '# settings\r',
      'export WIGWAG_HOST = 127.0.0.2\r',
      '',
      'WIGWAG_SECRET="two',
      'lines=of it"',
      'WIGWAG_PORT=9000 # not the usual one',
    )
    expect({ host, port, secret }).toEqual({ host: '127.0.0.2', port: 9000, secret: 'two\nlines=of it' })
  })

  it.each([
    ['no value', ['WIGWAG_HOST=127.0.0.2', 'hidden', 'WIGWAG_PORT=9000'], 2],
    ['a colon', ['WIGWAG_HOST: hidden', 'WIGWAG_PORT=9000'], 1],
    ['a line of a value without quotes', ['WIGWAG_PORT=9000', '', 'WIGWAG_SECRET=two', ' hidden'], 4],
  ])('is refused for %s, with the line and without its text', (_what, lines, line) => {
    expect(() => loadFrom(...lines)).toThrow(
      new ConfigError(`${file}:${line}: expected NAME=value, got something else.`),
    )
  })

  it('is refused when it can not be read', () => {
    rmSync(file, { force: true })
    mkdirSync(file)
    expect(() => loadConfig({}, {}, folder)).toThrow(/EISDIR/)
    rmSync(file, { recursive: true })
    expect(loadConfig({}, {}, folder).host).toBe('127.0.0.1')
  })
})
