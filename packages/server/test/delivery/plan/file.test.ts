import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { planOf, problemsOf, TEMPLATE } from './plans.ts'

const north = { url: 'smpp://user@127.0.0.1:2775?window=10&tps=30', passwordEnv: 'NORTH_PASSWORD' }
const south = {
  url: 'https://me@api.carrier.example/sms/',
  template: 'south.json',
  passwordEnv: 'SOUTH_TOKEN',
  receiptsSecretEnv: 'SOUTH_RECEIPTS',
}
const all = (name: string) => ({ prefix: '', carriers: [{ name }] })

/** The problems of a `carriers.json` with this text. */
const problems = (text: string) => problemsOf(() => planOf({ 'carriers.json': text }))
/** The problems of the carrier north with these fields. */
const problemsOfNorth = (fields: object, name = 'north') =>
  problemsOf(() => planOf({ 'carriers.json': { carriers: { [name]: fields }, routes: [all(name)] } }))
/** The problems of these routes over north and east. */
const problemsOfRoutes = (...routes: unknown[]) =>
  problemsOf(() => planOf({ 'carriers.json': { carriers: { north, east: { url: 'simulator:' } }, routes } }))

describe('a plan from a file', () => {
  it('has carriers and routes, with comments where the operator wants them', () => {
    const plan = planOf({
      'carriers.json': `{
        // Two of them.
        "carriers": {
          "north": { "url": "smpp://user@127.0.0.1:2775?window=10&tps=30", "passwordEnv": "NORTH_PASSWORD",
                     "ids": "hex-then-decimal", "statuses": { "0x00000400": "later" } },
          "south": ${JSON.stringify(south)}, "test": { "url": "simulator:" },
        },
        "routes": [
          { "prefix": "23324", "network": ["62001", "62002"], "sender": "Ama",
            "carriers": [{ "name": "south", "priority": 2 }, { "name": "north", "priority": 1, "cost": "0.0125" }] },
          { "prefix": "", "carriers": [{ "name": "south", "priority": 1, "weight": 3 }, { "name": "test" }] },
        ],
      }`,
      'south.json': TEMPLATE,
    })
    expect(plan.warnings).toEqual([])
    expect(plan.carriers.get('north')).toMatchObject({
      kind: 'smpp',
      window: 10,
      tps: 30,
      ids: 'hex-then-decimal',
      password: 'swordfish-1',
      statuses: new Map([[0x400, 'later']]),
    })
    expect(plan.carriers.get('south')).toMatchObject({
      kind: 'http',
      url: 'https://api.carrier.example/sms',
      user: 'me',
      secret: 'swordfish-2',
      receiptsSecret: 'swordfish-swordfish-3',
      window: 10,
      tps: 0,
      timeoutMs: 15_000,
    })
    expect(plan.carriers.get('test')).toEqual({ kind: 'simulator', name: 'test' })
    expect(plan.routes.routes).toMatchObject([
      {
        prefix: '23324',
        networks: ['62001', '62002'],
        senders: ['Ama'],
        accounts: [],
        ways: [
          { name: 'north', priority: 1, weight: 1, cost: 12_500 },
          { name: 'south', priority: 2, weight: 1, cost: undefined },
        ],
      },
      { prefix: '', ways: [{ name: 'south', weight: 3 }, { name: 'test' }] },
    ])
  })

  it('shows none of its secrets when it is printed', () => {
    const carriers = { north, south }
    const plan = planOf({
      'carriers.json': { carriers, routes: [all('north'), { prefix: '1', carriers: [{ name: 'south' }] }] },
      'south.json': TEMPLATE,
    })
    expect(inspect(plan, { depth: 9 })).toContain('api.carrier.example')
    expect(inspect(plan, { depth: 9 }) + JSON.stringify([...plan.carriers])).not.toContain('swordfish')
  })

  it('names the line and the column of every mistake at once', () => {
    const text = [
      '{',
      '  "carriers": {',
      '    "north": { "url": "smpp://user@host", "passwordEnv": "NORTH_PASSWORD", "window": 0, "binds": "many" },',
      '    "east": { "url": "simulator:", "windw": 1 }',
      '  },',
      '  "routes": [{ "prefix": "+233", "carriers": [{ "name": "nort" }] }]',
      '}',
    ]
    expect(problems(text.join('\n'))).toEqual([
      './carriers.json:3:86: carriers.north.window: expected a whole number from 1 to 1000, got 0',
      './carriers.json:3:98: carriers.north.binds: expected a whole number from 1 to 100, got "many"',
      './carriers.json:4:36: carriers.east.windw: expected only url, got "windw"',
      './carriers.json:6:26: routes[0].prefix: expected digits without a plus, such as "23324", got "+233"',
      './carriers.json:6:57: routes[0].carriers[0].name: expected north or east, got "nort"',
    ])
  })

  it.each([
    [
      '{\n  "carriers": {\n    "north": { "url": hunter2 }\n  }\n}',
      ['3:23: not JSON: expected a value such as "text", 10 or true, got a word without double quotes'],
    ],
    ['{ "carriers": {}\n  "routes": [] }', ['2:3: not JSON: expected a comma, got a text']],
    ['{ "carriers": {', ['1:16: not JSON: expected a closing }, got the end of the file']],
    ['', ['1:1: not JSON: expected a value, got the end of the file']],
    ['[]', ['1:1: expected an object with carriers and routes, got a list']],
  ])('says where JSON is broken: %j', (text, expected) => {
    expect(problems(text)).toEqual(expected.map((problem) => `./carriers.json:${problem}`))
  })

  it('wants each name once', () => {
    const [problem] = problems(
      '{ "carriers": { "a": { "url": "simulator:" },\n"a": { "url": "simulator:" } }, "routes": [{ "carriers": [{ "name": "a" }] }] }',
    )
    expect(problem).toBe('./carriers.json:2:1: carriers.a: expected each name once, but 1:17 has it too')
  })

  it.each([
    [
      { url: 'smpp://user:swordfish@host', passwordEnv: 'NORTH_PASSWORD' },
      'carriers.north.url: expected no password in the file: name an environment variable that holds it in passwordEnv',
    ],
    [
      { url: 'smpp://user@host', password: 'swordfish' },
      'carriers.north.password: expected passwordEnv, the name of an environment variable',
    ],
    [
      { url: 'smpp://user@host', passwordEnv: 'swordfish' },
      'carriers.north.passwordEnv: expected the name of an environment variable, in capital letters such as NORTH_PASSWORD',
    ],
    [
      { url: 'smpp://user@host', passwordEnv: 'OTHER_PASSWORD' },
      'carriers.north.passwordEnv: expected the environment variable OTHER_PASSWORD to hold the secret, got nothing',
    ],
    [
      { url: 'smpp://user@host' },
      'carriers.north.passwordEnv: expected the name of an environment variable with the password, or passwordFile with the path of a file that has it, got nothing',
    ],
    [
      { url: 'smpp://us#er:swordfish@host' },
      'carriers.north.url: expected a URL such as smpp://user@host:2775',
    ],
    [{ url: 'ftp://swordfish@host' }, 'carriers.north.url: expected a URL such as smpp://user@host:2775'],
    [
      { ...south, url: 'ftp://swordfish@host/sms' },
      'carriers.north.url: expected a URL such as smpp://user@host:2775, https://host/path or simulator:',
    ],
    [{ ...south, url: 'smp://host' }, 'carriers.north.url: expected a URL such as smpp://user@host:2775'],
    [
      { ...north, url: 'smppx://user@host' },
      'carriers.north.url: expected a URL such as smpp://user@host:2775',
    ],
    [
      { ...north, window: 3 },
      'carriers.north.url?window: expected window once, got it in the URL and beside it',
    ],
    [
      { ...north, statuses: { '0x1g': 'later', 4: 'never' } },
      'carriers.north.statuses.0x1g: expected a status code such as 0x00000400 or 1024, got "0x1g"',
    ],
    [
      { ...north, statuses: { 4: 'never' } },
      'carriers.north.statuses.4: expected later, not_taken, rejected or uncertain, got "never"',
    ],
    [
      { ...north, numbers: { long: {} } },
      'carriers.north.numbers.long: expected one of alphanumeric, short, international and recipient, got "long"',
    ],
    [{ ...north, flash: 1 }, 'carriers.north.flash: expected true or false, got 1'],
    [{}, 'carriers.north.url: expected a URL such as smpp://user@host:2775'],
    ['smpp://', 'carriers.north: expected an object with url'],
    [
      { ...south, template: undefined },
      'carriers.north.template: expected the path of a template, such as south.json, got nothing',
    ],
    [
      { ...south, template: 'none.json' },
      'carriers.north.template: expected a file that can be read, got none.json (ENOENT)',
    ],
    [
      { ...south, url: 'https://h/?key=swordfish' },
      'carriers.north.url: expected no query: settings go beside the url',
    ],
  ])('refuses a carrier: %j', (fields, expected) => {
    const found = problemsOfNorth(Object(fields) === fields ? Object(fields) : fields)
    expect(found.join('\n')).toContain(expected)
    expect(found.join('\n')).not.toContain('swordfish')
  })

  it('refuses a name that can be no part of an address', () => {
    expect(problemsOfNorth(north, 'no/rth')[0]).toContain(
      'carriers.no/rth: expected a name of 1 to 63 letters',
    )
  })

  it('wants the secrets that a template uses, and one for receipts that can be part of an address', () => {
    const carriers = {
      a: { url: 'https://h', template: 'south.json' },
      b: {
        url: 'https://h',
        template: 'south.json',
        passwordEnv: 'SOUTH_TOKEN',
        receiptsSecretEnv: 'NORTH_PASSWORD',
      },
    }
    const routes = [{ carriers: [{ name: 'a' }, { name: 'b' }] }]
    const found = problemsOf(() => planOf({ 'carriers.json': { carriers, routes }, 'south.json': TEMPLATE }))
    expect(found.map((problem) => problem.replace(/^\S+ /, ''))).toEqual([
      'carriers.a.passwordEnv: expected the name of an environment variable, or passwordFile with the path of a file, because the template uses {secret} or {basic}, got nothing',
      'carriers.a.receiptsSecretEnv: expected the name of an environment variable, or receiptsSecretFile with the path of a file, because the template reads receipts, got nothing',
      'carriers.b.receiptsSecretEnv: expected a secret of at least 16 letters, digits, - and _, because it is part of an address',
    ])
  })
})

describe('routes', () => {
  const to = (...names: string[]) => ({ carriers: names.map((name) => ({ name })) })

  it.each([
    [
      [{ ...to('north', 'north') }],
      'routes[0].carriers[1]: expected each carrier once in a route, got north again',
    ],
    [[{ prefix: '1', carriers: [] }], 'routes[0].carriers: expected at least one carrier, got a list'],
    [[{ prefix: '1' }], 'routes[0].carriers: expected a list of carriers, got nothing'],
    [[], 'routes: expected at least one route, got a list'],
    [
      [{ network: '6201', ...to('north') }],
      'routes[0].network: expected MCC and MNC in one, such as "62001", got "6201"',
    ],
    [[{ sender: [], ...to('north') }], 'routes[0].sender: expected a sender or a list of them, got a list'],
    [
      [{ carriers: [{ name: 'north', cost: 0.1 }] }],
      'routes[0].carriers[0].cost: expected an amount in quotes, such as "0.045", got 0.1',
    ],
    [
      [{ carriers: [{ name: 'north', cost: '0.1234567' }] }],
      'routes[0].carriers[0].cost: expected an amount up to 100000000.00 such as "50" or "0.045", with at most 6 decimals, got "0.1234567"',
    ],
    [
      [{ carriers: [{ name: 'north', weight: 0 }] }],
      'routes[0].carriers[0].weight: expected a whole number from 1 to 1000000, got 0',
    ],
    [[{ prefx: '1', ...to('north') }], 'routes[0].prefx: expected prefix (did you mean that?), got "prefx"'],
    [
      [to('north'), { prefix: '', ...to('east') }],
      'routes[1]: expected conditions that no other route has, got those of routes[0] (./carriers.json:',
    ],
    [
      [
        { sender: ['A', 'B'], ...to('north') },
        { sender: ['B', 'C'], ...to('east') },
      ],
      'routes[1]: expected conditions that no other route has, got those of routes[0]',
    ],
  ])('are refused: %j', (routes, expected) => {
    expect(problemsOfRoutes(...routes).join('\n')).toContain(expected)
  })

  it('are not taken for others when their conditions cannot be read', () => {
    const found = problemsOfRoutes({ prefix: '+1', ...to('north') }, { prefix: '+2', ...to('east') })
    expect(found.map((problem) => problem.split(' ')[1])).toEqual(['routes[0].prefix:', 'routes[1].prefix:'])
  })

  it('warn about a carrier that none uses, a network without numbers, and messages that none takes', () => {
    const carriers = { north, east: { url: 'simulator:' } }
    const routes = [{ network: '99999', ...to('north') }]
    const { warnings } = planOf({ 'carriers.json': { carriers, routes } })
    expect(warnings).toEqual([
      './carriers.json:12:5: routes[0].network: no numbers are known for network 99999',
      'carriers.east: no route uses this carrier',
      'routes: none is for everything (prefix "" alone): messages that fit no route will be rejected',
    ])
  })
})
