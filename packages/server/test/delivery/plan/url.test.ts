import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readPlan } from '../../../src/delivery/plan/read-plan.ts'
import { problemsOf } from './plans.ts'

const plan = (given: string) => readPlan(given, { environment: {}, folder: '/' })
const message = { ticket: 't', recipient: '233240000001', sender: 'Ama', accountId: 'a', network: null }

describe('a plan from a setting', () => {
  it('may be the simulator', () => {
    const { carriers, routes, warnings } = plan('simulator')
    expect([...carriers.values()]).toEqual([{ kind: 'simulator', name: 'simulator' }])
    expect(routes.find(message)?.ways).toEqual([
      { name: 'simulator', priority: 1, weight: 1, cost: undefined },
    ])
    expect(warnings).toEqual([])
  })

  it('may be one SMPP carrier with the name of its host, which takes everything', () => {
    const { carriers, routes } = plan('smpp://wig%40wag:p%3Ass@smsc.example:2776')
    expect(routes.find(message)?.ways.map(({ name }) => name)).toEqual(['smsc.example'])
    const settings = carriers.get('smsc.example')
    expect(settings).toMatchObject({
      kind: 'smpp',
      host: 'smsc.example',
      port: 2776,
      tls: false,
      systemId: 'wig@wag',
      password: 'p:ss',
      window: 10,
      tps: 0,
      binds: 1,
      version: '3.4',
      unanswered: 'hold',
      ids: 'same',
      receipts: 'each',
      numbers: { alphanumeric: { ton: 5, npi: 0 }, recipient: { ton: 1, npi: 1 } },
    })
  })

  it('takes every SMPP setting from the query', () => {
    const query =
      'window=5&tps=30&binds=2&ids=hex-then-decimal&receipts=one&unanswered=again&alphabet=latin1&long=payload' +
      '&bind=pair&query=true&flash=true&systemType=VMA&serviceType=CMT&version=5.0&enquireMs=10000' +
      '&responseMs=5000&reconnectMs=500&numbers.short.ton=6&statuses.0x400=later&statuses.88=rejected'
    const settings = plan(`smpps://me:secret@[::1]?${query}`).carriers.get('::1')
    expect(settings).toMatchObject({
      host: '::1',
      port: 3550,
      tls: true,
      window: 5,
      tps: 30,
      binds: 2,
      ids: 'hex-then-decimal',
      receipts: 'one',
      unanswered: 'again',
      alphabet: 'latin1',
      long: 'payload',
      bind: 'pair',
      query: true,
      flash: true,
      systemType: 'VMA',
      serviceType: 'CMT',
      version: '5.0',
      enquireMs: 10_000,
      responseMs: 5_000,
      reconnectMs: 500,
      numbers: { short: { ton: 6, npi: 0 } },
      statuses: new Map([
        [0x400, 'later'],
        [88, 'rejected'],
      ]),
    })
  })

  it('tells everything that is wrong, and what was expected', () => {
    const given = 'smpp://me:secret@host?window=0&windw=3&tps=fast&ids=odd&tps=2&numbers.short.ton=300'
    expect(problemsOf(() => plan(given))).toEqual([
      'WIGWAG_CARRIER: tps: expected it once, got it 2 times',
      'WIGWAG_CARRIER: windw: expected window (did you mean that?), got "windw"',
      'WIGWAG_CARRIER: window: expected a whole number from 1 to 1000, got "0"',
      'WIGWAG_CARRIER: ids: expected same, hex-then-decimal or decimal-then-hex, got "odd"',
      'WIGWAG_CARRIER: numbers.short.ton: expected a whole number from 0 to 255, got "300"',
    ])
  })

  it('lists what a query may hold', () => {
    const [problem] = problemsOf(() => plan('smpp://me:secret@host?colour=red'))
    expect(problem).toMatch(
      /^WIGWAG_CARRIER: colour: expected one of systemType, .* and reconnectMs, got "colour"$/,
    )
  })

  it.each([
    ['smpp://me@host', 'expected a password behind the user name, got none'],
    ['smpp://host', 'expected a user name before the host, got none'],
    ['smpp://me:secret@host/path', 'expected nothing between the port and the query, got a path'],
    [
      'smpp://me:secret@host#top',
      'expected simulator, smpp://user:password@host:2775 or file:./carriers.json',
    ],
    ['carrier', 'expected simulator, smpp://user:password@host:2775 or file:./carriers.json, got "carrier"'],
    ['https://me:secret@host/sms', 'an HTTP carrier needs a template: file:./carriers.json'],
    ['ftp://me:secret@host', 'expected simulator, smpp://user:password@host:2775 or file:./carriers.json'],
    ['smp://me:secret@host', 'expected simulator, smpp://user:password@host:2775 or file:./carriers.json'],
    ['file:./none.json', 'expected a file that can be read, got ./none.json (ENOENT)'],
  ])('refuses %s', (given, expected) => {
    expect(problemsOf(() => plan(given)).join('\n')).toContain(expected)
  })

  it.each(['#', '?', '/', '@', ' ', '%'])('shows no password that holds %s', (character) => {
    const given = `smpp://me:12${character}tiger@host:2775?window=no`
    const shown = problemsOf(() => plan(given)).join('\n')
    expect(shown).not.toMatch(/tiger/)
  })

  it('shows no password when it is printed', () => {
    const made = plan('smpp://me:swordfish@host')
    const [settings] = made.carriers.values()
    const shown = inspect(made, { depth: 9 }) + JSON.stringify([...made.carriers]) + JSON.stringify(settings)
    expect(shown).toContain('host')
    expect(shown).not.toContain('swordfish')
    expect(settings).toHaveProperty('password', 'swordfish')
  })
})
