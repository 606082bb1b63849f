import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { readAddress } from '../../../src/store/postgres/address.ts'

/** Each host's address, as node-postgres reads it. */
const hostsOf = (url: string) =>
  readAddress(url).hosts.map((connectionString) => {
    const { host, port, user, password, database } = new pg.Client({ connectionString })
    return { host, port, user, password, database }
  })
const fault = (url: string) => {
  try {
    return JSON.stringify(readAddress(url))
  } catch (error) {
    return String(error)
  }
}

describe('an address of PostgreSQL', () => {
  it('of one host is left as it is', () => {
    for (const url of [
      'postgres://user:a,b@db/name',
      'postgres://user@/name?host=/run/postgresql',
      'postgresql://user:pa/ss@[::1]:5433/name?sslmode=verify-full',
    ])
      expect(readAddress(url).hosts).toEqual([url])
  })

  it('names several hosts, each with a port of its own, and all with the same user, name and options', () => {
    const url = 'postgresql://us%40er:p%2Css,w@rd@one,two:5433,[2001:db8::1]:5434,%2Frun%2Fpostgresql/na%20me'
    const same = { user: 'us@er', password: 'p,ss,w@rd', database: 'na me' }
    expect(hostsOf(url)).toEqual([
      { ...same, host: 'one', port: 5432 },
      { ...same, host: 'two', port: 5433 },
      { ...same, host: '2001:db8::1', port: 5434 },
      { ...same, host: '/run/postgresql', port: 5432 },
    ])
    expect(readAddress('postgres://a,b/name?sslmode=no-verify&options=-c%20jit=off').hosts).toEqual([
      'postgres://a/name?sslmode=no-verify&options=-c%20jit=off',
      'postgres://b/name?sslmode=no-verify&options=-c%20jit=off',
    ])
  })

  it('says which settings its options hold', () => {
    const options = '-c search_path=own\\ schema --statement-timeout=5s -cjit=off -E -c TimeZone=UTC'
    expect(readAddress(`postgres://a,b/name?options=${encodeURIComponent(options)}`).settings).toEqual({
      search_path: 'own schema',
      statement_timeout: '5s',
      jit: 'off',
      timezone: 'UTC',
    })
  })

  it('says whether a standby will do for work that only reads', () => {
    const willDo = (target: string) => readAddress(`postgres://a,b/name?${target}`).standbyWillDo
    expect(willDo('')).toBe(true)
    expect(willDo('target_session_attrs=any')).toBe(true)
    expect(willDo('sslmode=require&target_session_attrs=read-write')).toBe(false)
    expect(willDo('target_session_attrs=primary')).toBe(false)
  })

  it.each(['standby', 'read-only', 'prefer-standby', ''])(
    'is refused when it asks for servers that are no use to a gateway: %j',
    (target) => {
      expect(fault(`postgres://a/name?target_session_attrs=${target}`)).toBe(
        `Error: expected target_session_attrs to be any, primary, read-write, got "${target}"`,
      )
    },
  )

  it.each([
    ['a,,b', 2],
    [',a', 1],
    ['a,b:', 2],
    ['a,b:0', 2],
    ['a,b:65536', 2],
    ['a:x,b', 1],
    ['a,::1', 2],
    ['a,[::1', 2],
    ['a,b c', 2],
  ])('is refused with the number of a host that is none, without what it is: %s', (hosts, number) => {
    expect(fault(`postgres://user:a-password@${hosts}/name`)).toBe(
      `Error: expected each host as name, name:port or [IPv6]:port, with commas in between as in postgres://user@one:5432,two:5432/name; number ${number} is none of these`,
    )
  })

  it('is refused when its hosts are in an option, where node-postgres takes them for one', () => {
    expect(fault('postgres:///name?host=a,b')).toContain('expected several hosts before the name')
  })
})
