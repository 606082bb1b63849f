/**
 * The arrows between folders: docs/decisions/toolchain.md says why. A wrong import fails `npm run check`.
 */
const server = 'packages/server/src'

/**
 * The folders of the server from the lowest to the highest, and the files beside them. Each may import those that are
 * named, and of a subject its `index.ts` alone. What is not named here may import nothing of ours: a new folder needs a
 * rule first.
 */
const low = ['domain', 'platform', 'package-root']
const arrows = {
  'package-root': [],
  domain: [],
  platform: ['domain/csv', 'domain/errors', 'domain/ids', 'package-root'],
  'setting-values': ['domain', 'platform/outbound'],
  'database-settings': ['setting-values', 'platform/database/postgres/address'],
  config: ['domain', 'setting-values', 'database-settings'],
  audit: low,
  money: [...low, 'audit'],
  people: [...low, 'audit'],
  accounts: [...low, 'audit', 'people', 'money'],
  messages: [...low, 'money'],
  moving: [...low, 'money'],
  callbacks: [...low, 'audit', 'accounts', 'messages'],
  events: [...low, 'money', 'callbacks'],
  history: [...low, 'audit', 'messages'],
  delivery: [...low, 'audit', 'money', 'messages', 'callbacks'],
  sending: [...low, 'audit', 'money', 'messages', 'history', 'delivery'],
  factors: low,
  portal: [...low, 'audit', 'people', 'accounts', 'factors'],
  operators: [...low, 'audit', 'accounts', 'factors'],
  pages: low,
  sandbox: [
    ...low,
    ...['audit', 'money', 'accounts', 'messages', 'callbacks', 'history', 'delivery', 'sending', 'portal'],
    ...['people', 'privacy'],
  ],
  privacy: [
    ...low,
    ...['audit', 'money', 'accounts', 'messages', 'callbacks', 'delivery', 'sending', 'portal', 'assistants'],
    ...['people', 'factors'],
  ],
  assistants: [...low, 'config', 'audit', 'people', 'money', 'accounts', 'sending', 'portal'],
  console: [
    ...low,
    ...['audit', 'money', 'accounts', 'messages', 'callbacks', 'history', 'delivery', 'sending', 'portal'],
    ...['people', 'factors', 'sandbox', 'assistants', 'pages'],
  ],
  doctor: [
    ...low,
    ...[
      'config',
      'setting-values',
      'money',
      'accounts',
      'messages',
      'moving',
      'delivery',
      'portal',
      'sandbox',
      'assistants',
    ],
  ],
  desk: [
    ...low,
    ...['config', 'audit', 'money', 'accounts', 'messages', 'callbacks', 'history', 'delivery', 'assistants'],
    ...['people', 'privacy', 'factors', 'operators', 'operator-work', 'doctor', 'pages'],
  ],
  cells: [
    ...low,
    ...['audit', 'people', 'money', 'accounts', 'delivery', 'moving', 'privacy', 'assistants'],
    'operator-work',
  ],
  'operator-work': [
    ...low,
    ...[
      'audit',
      'people',
      'accounts',
      'callbacks',
      'history',
      'delivery',
      'portal',
      'assistants',
      'operators',
      'sandbox',
    ],
  ],
  housekeeping: [
    ...low,
    ...[
      'audit',
      'people',
      'accounts',
      'delivery',
      'sending',
      'portal',
      'factors',
      'operators',
      'assistants',
      'privacy',
    ],
  ],
  'bring-up-to-date': [...low, 'config', 'delivery', 'sandbox'],
  network: low,
}
/** What a file may import besides what its folder may, and why. */
const exceptions = {
  // The one schema says which texts a message's status can be.
  'platform/database/schema': ['domain/message'],
}
const subjects = [
  ...[
    'audit',
    'people',
    'money',
    'accounts',
    'messages',
    'moving',
    'callbacks',
    'events',
    'history',
    'delivery',
    'sending',
    'portal',
  ],
  ...['factors', 'operators', 'sandbox', 'assistants', 'cells', 'console', 'doctor', 'desk', 'privacy'],
]
const joined = Object.keys(arrows)
Object.assign(arrows, {
  addresses: ['config'],
  'operator-parts': joined,
  subjects: [...joined, 'addresses', 'operator-parts'],
  fronts: [...joined, 'addresses', 'operator-parts', 'subjects'],
  compose: [...joined, 'addresses', 'operator-parts', 'subjects', 'fronts'],
  cli: [
    ...[...low, ...subjects, 'config', 'setting-values', 'network'],
    ...['bring-up-to-date', 'operator-parts', 'compose'],
  ],
  testing: [...low, ...subjects, 'config', 'operator-parts', 'compose'],
  main: ['cli'],
})

/** A folder or a file: `http/…`, `clock.ts`. */
const place = (names) => `^${server}/(?:${names.join('|')})(?:/|\\.tsx?$)`
/** Sources: not what is installed in a package, nor its manifest, where a program reads its version. */
const ours = '^(?:packages|scripts|examples)/(?!.*node_modules/|[^/]+/package\\.json$)'
const contract = '^packages/contract/src/'
const sdk = '^packages/sdk/src/'
const mcp = '^packages/mcp/src/'
const smpp = '^packages/smpp/src/'
const conform = '^packages/conform/src/'
/** What the folders import of other packages: all know the rules that the packages share, some the client and the MCP server. */
const packages = { cli: [sdk, mcp, smpp, conform], testing: [sdk], assistants: [sdk, mcp], delivery: [smpp] }
const tests = '^(?:packages/[^/]+/test/|scripts/(?:test|lab)/|examples/)'

/**
 * The folders and files of the package mcp, and what each may import of it besides itself. A folder is entered through its
 * index alone; what is not named here may import nothing of ours.
 */
const mcpArrows = {
  clock: [],
  refusal: [],
  'config-snippet': [],
  confirm: ['clock'],
  gate: ['confirm', 'clock', 'refusal'],
  tools: ['confirm', 'gate', 'refusal'],
  prompts: ['tools', 'refusal'],
  resources: ['tools'],
  protocol: ['confirm', 'tools', 'prompts', 'resources'],
  transports: ['tools', 'protocol', 'refusal'],
  'sign-in': ['confirm', 'gate', 'tools', 'transports', 'clock'],
  cli: ['confirm', 'gate', 'tools', 'transports', 'sign-in', 'clock', 'config-snippet'],
  start: ['cli', 'config-snippet'],
  main: ['start'],
  'filled-in': ['config-snippet'],
  bundle: ['start', 'filled-in'],
  // Not cli: a user of the library does not load the program.
  index: ['confirm', 'gate', 'tools', 'transports', 'sign-in', 'config-snippet'],
}
const mcpFolders = [
  'confirm',
  'gate',
  'tools',
  'prompts',
  'resources',
  'protocol',
  'transports',
  'sign-in',
  'cli',
]
const mcpPlace = (names) => `${mcp}(?:${names.join('|')})(?:/|\\.ts$)`

const mcpRules = [
  ...Object.entries(mcpArrows).map(([name, allowed]) => ({
    name: `mcp: ${name} → ${allowed.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: mcpPlace([name]) },
    to: { path: mcp, pathNot: mcpPlace([name, ...allowed]) },
  })),
  ...mcpFolders.map((name) => ({
    name: `mcp: ${name} is entered through its index`,
    severity: 'error',
    from: { path: mcp, pathNot: mcpPlace([name]) },
    to: { path: mcpPlace([name]), pathNot: `${mcp}${name}/index\\.ts$` },
  })),
  {
    name: 'mcp: a folder or file that has no rule',
    severity: 'error',
    from: { path: mcp, pathNot: mcpPlace(Object.keys(mcpArrows)) },
    to: {},
  },
  {
    name: 'mcp: the folder protocol alone → the protocol library',
    severity: 'error',
    from: { path: mcp, pathNot: `${mcp}protocol/` },
    to: { path: '(^|/)node_modules/@modelcontextprotocol/' },
  },
]

const folderRules = Object.entries(arrows).map(([folder, allowed]) => ({
  name: `${folder} → ${allowed.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: place([folder]), pathNot: place(Object.keys(exceptions)) },
  to: { path: ours, pathNot: [place([folder, ...allowed]), contract, ...(packages[folder] ?? [])] },
}))
const exceptional = Object.entries(exceptions).map(([file, more]) => {
  const [folder] = file.split('/')
  return {
    name: `${file} → what ${folder} may, and ${more.join(', ')}`,
    severity: 'error',
    from: { path: place([file]) },
    to: { path: ours, pathNot: [place([folder, ...arrows[folder], ...more]), contract] },
  }
})

export default {
  forbidden: [
    ...folderRules,
    ...exceptional,
    ...mcpRules,
    {
      name: 'a folder that has no rule',
      severity: 'error',
      from: { path: `^${server}/`, pathNot: place(Object.keys(arrows)) },
      to: { path: ours },
    },
    {
      name: 'domain → contract, libphonenumber-js alone',
      severity: 'error',
      from: { path: place(['domain']) },
      to: { pathNot: [place(['domain']), contract, '(^|/)node_modules/libphonenumber-js/'] },
    },
    ...subjects.map((subject) => ({
      name: `${subject} is entered through its index.ts`,
      severity: 'error',
      from: { path: `^${server}/`, pathNot: place([subject]) },
      to: { path: place([subject]), pathNot: `^${server}/${subject}/index\\.ts$` },
    })),
    {
      name: 'of the server and conform, the folder connector-check alone → the protocol library',
      severity: 'error',
      from: { path: [`^${server}/`, conform], pathNot: `${conform}connector-check/` },
      to: { path: '(^|/)node_modules/@modelcontextprotocol/' },
    },
    ...['console', 'desk', 'pages'].flatMap((pages) => [
      {
        name: `${pages}/browser → pages/browser, domain: it runs in browsers`,
        severity: 'error',
        from: { path: place([`${pages}/browser`]) },
        to: { path: ours, pathNot: place([`${pages}/browser`, 'pages/browser', 'domain']) },
      },
      {
        name: `${pages}/browser is entered by scripts alone, which the build makes`,
        severity: 'error',
        from: { path: `^${server}/`, pathNot: place(['console/browser', 'desk/browser', 'pages/browser']) },
        to: { path: place([`${pages}/browser`]) },
      },
    ]),
    {
      name: 'carriers → the port, the protocol, and the ports of the platform that they need',
      severity: 'error',
      from: { path: place(['delivery/carriers']) },
      to: {
        path: `^${server}/`,
        pathNot: [
          place([
            'delivery/carriers',
            'delivery/carrier',
            'domain',
            'platform/clock',
            'platform/http/fields',
            'platform/outbound/port',
            'platform/silence',
            'smpp',
          ]),
        ],
      },
    },
    {
      name: 'contract → zod alone',
      severity: 'error',
      from: { path: contract },
      to: { pathNot: [contract, '(^|/)node_modules/zod/'] },
    },
    {
      name: 'mcp → sdk, contract',
      severity: 'error',
      from: { path: mcp },
      to: { path: ours, pathNot: [mcp, sdk, contract] },
    },
    {
      name: 'smpp → contract',
      severity: 'error',
      from: { path: smpp },
      to: { path: ours, pathNot: [smpp, contract] },
    },
    {
      name: 'conform → sdk, mcp, contract',
      severity: 'error',
      from: { path: conform },
      to: { path: ours, pathNot: [conform, sdk, mcp, contract] },
    },
    {
      name: 'sdk → the types of the document, and how segments are counted',
      severity: 'error',
      from: { path: sdk },
      to: { path: ours, pathNot: [sdk, '^packages/contract/src/(?:generated/openapi|text/)'] },
    },
    {
      name: 'nothing → server, tests, examples and the pages that are made from it aside',
      severity: 'error',
      from: {
        pathNot: [`^${server}/`, tests, '^scripts/generate/(errors|command-line)\\.ts$'],
      },
      to: { path: '^packages/server/' },
    },
    {
      name: 'nothing → tests, tests aside',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: '^packages/[^/]+/test/|^scripts/test/' },
    },
    {
      name: 'a package declares what its sources import, also what its build bundles (devDependencies), and the root what scripts and examples do',
      severity: 'error',
      from: { path: '^(packages/[^/]+/src|scripts|examples)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every import resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/(dist|assets)/' },
    // An import of a type is an arrow too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
