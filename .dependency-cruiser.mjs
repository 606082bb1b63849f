/**
 * The arrows between rooms: docs/decisions/0024-arrows-are-checked.md. A wrong import fails `npm run check`.
 */
const server = 'packages/server/src'

/**
 * The rooms of the server, and what each may import besides itself. An entry is a room, one file of a room, or a
 * file beside the rooms. What is not named here may import nothing of ours: a new room needs a rule first.
 */
const arrows = {
  'package-root': [],
  generated: [],
  log: [],
  metrics: [],
  saturation: [],
  crowd: [],
  domain: [],
  clock: ['domain'],
  config: ['domain', 'net/cidr-set'],
  store: ['domain', 'clock', 'package-root'],
  gateway: ['domain', 'store', 'clock'],
  carriers: ['domain', 'gateway/ports', 'clock'],
  net: ['domain', 'gateway/ports', 'clock'],
  worker: ['domain', 'store/job-queue', 'clock'],
  http: ['domain', 'gateway', 'generated', 'clock', 'package-root'],
  pages: ['domain', 'gateway'],
  oauth: ['domain', 'gateway', 'pages', 'generated', 'clock', 'package-root'],
  console: ['domain', 'gateway', 'pages', 'generated', 'clock', 'package-root'],
  cli: ['domain', 'gateway', 'store', 'http/listen', 'compose', 'config', 'clock', 'log', 'package-root'],
  testing: ['domain', 'gateway', 'compose', 'config', 'clock', 'log'],
  connector: ['clock', 'config', 'domain/loopback'],
  main: ['cli'],
}

/** A room is a folder or a file: `http/…`, `clock.ts`. */
const place = (names) => `^${server}/(?:${names.join('|')})(?:/|\\.tsx?$)`
/** Sources: not what is installed in a package, nor its manifest, where a program reads its version. */
const ours = '^(?:packages|scripts|examples)/(?!.*node_modules/|[^/]+/package\\.json$)'
const contract = '^packages/contract/src/'
const sdk = '^packages/sdk/src/'
const mcp = '^packages/mcp/src/'
/**
 * What rooms import of other packages: the domain the rules that it shares with the connector, two rooms the client, as
 * they call the gateway from outside, and one the connector that it plugs in.
 */
const packages = { domain: [contract], cli: [sdk], testing: [sdk], connector: [sdk, mcp] }
const tests = '^(?:packages/[^/]+/test|scripts/(?:test|bench)|examples)/'

const rooms = Object.entries(arrows).map(([room, allowed]) => ({
  name: `${room} → ${allowed.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: place([room]) },
  to: { path: ours, pathNot: [place([room, ...allowed]), ...(packages[room] ?? [])] },
}))

export default {
  forbidden: [
    ...rooms,
    {
      name: 'a room that has no rule',
      severity: 'error',
      from: { path: `^${server}/`, pathNot: place([...Object.keys(arrows), 'compose']) },
      to: { path: ours },
    },
    {
      name: 'domain → contract, libphonenumber-js alone',
      severity: 'error',
      from: { path: place(['domain']) },
      to: { pathNot: [place(['domain']), contract, '(^|/)node_modules/libphonenumber-js/'] },
    },
    {
      name: 'compose joins the rooms',
      severity: 'error',
      from: { path: place(['compose']) },
      to: { path: ours, pathNot: [`^${server}/`] },
    },
    { name: 'contract → nothing', severity: 'error', from: { path: contract }, to: { pathNot: contract } },
    {
      name: 'mcp → sdk, contract',
      severity: 'error',
      from: { path: mcp },
      to: { path: ours, pathNot: [mcp, sdk, contract] },
    },
    { name: 'sdk → nothing', severity: 'error', from: { path: sdk }, to: { path: ours, pathNot: sdk } },
    {
      name: 'nothing → server, tests and examples aside',
      severity: 'error',
      from: { pathNot: [`^${server}/`, tests] },
      to: { path: '^packages/server/' },
    },
    {
      name: 'nothing → tests, tests aside',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: '^packages/[^/]+/test/|^scripts/test/' },
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
    exclude: { path: '^packages/[^/]+/dist/' },
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
