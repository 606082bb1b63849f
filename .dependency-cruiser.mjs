/**
 * The arrows between folders: docs/decisions/toolchain.md says why. A wrong import fails `npm run check`.
 */
const server = 'packages/server/src'

/**
 * The floors of the server: a folder may import those of the floors below it, and no other on its own. Above them are
 * the doors: the commands, the sandbox for tests, and the program. A new folder needs a floor first.
 */
const floors = [
  ['kernel', 'package-root'],
  ['store'],
  ['flow', 'net'],
  ['config', 'money'],
  ['accounts', 'messages'],
  ['sign-in', 'callbacks', 'mail'],
  ['assistants', 'delivery'],
  ['sandbox', 'operate'],
  ['web'],
  ['gateway'],
  ['cli', 'testing'],
  ['main'],
]
/** Subjects: other folders enter them through their `index.ts` alone. */
const subjects = [
  'accounts',
  'accounts/people',
  'assistants',
  'callbacks',
  'callbacks/events',
  'delivery',
  'mail',
  'messages',
  'messages/history',
  'messages/sending',
  'money',
  'operate/alerts',
  'operate/cells',
  'operate/doctor',
  'operate/moving',
  'operate/privacy',
  'operate/troubles',
  'sandbox',
  'sign-in/factors',
  'sign-in/operators',
  'sign-in/portal',
  'store/audit',
  'web/console',
  'web/desk',
]

/** Folders or files: `http/…`, `clock.ts`. */
const place = (names) => `^${server}/(?:${names.join('|')})(?:/|\\.tsx?$)`
/** A subject without the subjects inside of it. */
const inside = (subject) => {
  const inner = subjects
    .filter((one) => one.startsWith(`${subject}/`))
    .map((one) => one.slice(subject.length + 1))
  return `^${server}/${subject}/${inner.length > 0 ? `(?!(?:${inner.join('|')})/)` : ''}`
}
/** Sources: not what is installed in a package, nor its manifest, where a program reads its version. */
const ours = '^(?:packages|scripts)/(?!.*node_modules/|[^/]+/package\\.json$)'
const contract = '^packages/contract/src/'
const sdk = '^packages/sdk/src/'
const mcp = '^packages/mcp/src/'
const smpp = '^packages/smpp/src/'
const conform = '^packages/conform/src/'
/** Other packages that floors import, besides the contract: the client, the tools, the carriers' protocol. */
const packages = { cli: [sdk, mcp, smpp, conform], testing: [sdk], assistants: [sdk, mcp], delivery: [smpp] }
const tests = '^(?:packages/[^/]+/test/|scripts/(?:test|lab)/)'

/**
 * The folders and files of the package mcp, and which others of it each may import. A folder is entered
 * through its index alone. An unlisted folder may import nothing of ours.
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

const floorRules = floors.flatMap((floor, level) =>
  floor.map((folder) => {
    const below = floors.slice(0, level).flat()
    return {
      name: `${folder} → ${below.join(', ') || 'nothing'}`,
      severity: 'error',
      from: { path: place([folder]) },
      to: { path: ours, pathNot: [place([folder, ...below]), contract, ...(packages[folder] ?? [])] },
    }
  }),
)

export default {
  forbidden: [
    ...floorRules,
    ...mcpRules,
    {
      name: 'a folder that has no floor',
      severity: 'error',
      from: { path: `^${server}/`, pathNot: place(floors.flat()) },
      to: { path: ours },
    },
    {
      name: 'kernel → contract, libphonenumber-js alone; what needs Node or a library is in kernel/process',
      severity: 'error',
      from: { path: place(['kernel']), pathNot: place(['kernel/process']) },
      to: {
        pathNot: [place(['kernel']), contract, '(^|/)node_modules/libphonenumber-js/'],
      },
    },
    {
      name: 'kernel ↛ kernel/process, which is not pure',
      severity: 'error',
      from: { path: place(['kernel']), pathNot: place(['kernel/process']) },
      to: { path: place(['kernel/process']) },
    },
    ...subjects.map((subject) => ({
      name: `${subject} is entered through its index.ts`,
      severity: 'error',
      from: { path: `^${server}/`, pathNot: inside(subject) },
      to: { path: inside(subject), pathNot: `^${server}/${subject}/index\\.ts$` },
    })),
    ...['console', 'desk'].map((pages) => ({
      name: `web/${pages} → no other pages but those that both share`,
      severity: 'error',
      from: { path: place(['web']), pathNot: place([`web/${pages}`]) },
      to: { path: place([`web/${pages}`]) },
    })),
    {
      name: 'of the server and conform, the folder connector-check alone → the protocol library',
      severity: 'error',
      from: { path: [`^${server}/`, conform], pathNot: `${conform}connector-check/` },
      to: { path: '(^|/)node_modules/@modelcontextprotocol/' },
    },
    ...['web/console', 'web/desk', 'web'].flatMap((pages) => [
      {
        name: `${pages}/browser → web/browser, kernel: it runs in browsers`,
        severity: 'error',
        from: { path: place([`${pages}/browser`]) },
        to: {
          path: ours,
          pathNot: [place([`${pages}/browser`, 'web/browser']), `^${server}/kernel/(?!process/)`],
        },
      },
      {
        name: `${pages}/browser is entered by scripts alone, which the build makes`,
        severity: 'error',
        from: {
          path: `^${server}/`,
          pathNot: place(['web/console/browser', 'web/desk/browser', 'web/reference/browser', 'web/browser']),
        },
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
            'kernel',
            'net/server/fields',
            'net/outbound/port',
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
      name: 'nothing → server, tests and the pages that are made from it aside',
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
      name: 'a package declares what its sources import, also what its build bundles (devDependencies), and the root what scripts do',
      severity: 'error',
      from: { path: '^(packages/[^/]+/src|scripts)/' },
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
