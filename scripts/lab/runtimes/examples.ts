/**
 * examples/: each project is copied out of the clone, installed from the packed packages and the registry, and compiled. The
 * commands of its README are run, and then it is tried against a gateway: example-trials.ts.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createClient } from '../../../packages/sdk/src/index.ts'
import { complaints } from '../../../packages/sdk/test/package/scratch.ts'
import { findBrowser } from '../../../packages/server/test/browser/chromium.ts'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { type GatewayProcess, startGateway } from '../../../packages/server/test/support/gateway-process.ts'
import { type Block, readPage } from '../../test/operating/page.ts'
import { TRIALS } from './example-trials.ts'
import { type Idea, type Row, row } from './idea.ts'
import { root, versionOf } from './install.ts'
import { Running } from './running.ts'

/** `npm install` as a README has it, in its form for a clone. It does not wait for packages that no registry has. */
const NPM = `npm() {
  if [ "$1" = install ]
  then command npm install --prefer-offline --fetch-retry-mintimeout=100 --fetch-retry-maxtimeout=1000 \
    --no-audit --no-fund --loglevel=error $PACKED </dev/null
  else command npm "$@"
  fi
}
`

/** The environment of somebody without a clone, where tools of this one are not found. */
const OF_A_STRANGER = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$|NODE_)/i.test(name)),
  ),
  PATH: [
    dirname(process.execPath),
    ...(process.env.PATH ?? '').split(delimiter).filter((place) => !place.startsWith(root)),
  ].join(delimiter),
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
}

export const examples: Idea = {
  files: {},
  async run() {
    const place = await mkdtemp(join(tmpdir(), 'wigwag-examples-'))
    const gateway = await startGateway(place)
    try {
      execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), join(place, 'packed')], {
        stdio: 'ignore',
      })
      // The clone is beside a reader's projects.
      await symlink(root, join(place, 'wigwag'), 'junction')
      const waiting = Object.keys(TRIALS)
      const rows: Row[] = []
      async function lane(): Promise<void> {
        for (let name = waiting.shift(); name; name = waiting.shift())
          rows.push(await tried(name, place, gateway))
      }
      await Promise.all([lane(), lane()])
      return rows
    } finally {
      await gateway.stop()
      await rm(place, { recursive: true, force: true })
    }
  },
}

async function tried(name: string, place: string, gateway: GatewayProcess): Promise<Row> {
  const trial = TRIALS[name]
  if (!trial) throw new Error(`Expected an example; got ${name}.`)
  const { shows, does, input, add, compiles, proves } = trial
  const folder = join(place, name)
  const port = String(await freePort())
  const own = { CHROMIUM: await findBrowser(), PORT: port, PACKED: packedFor(name) }
  const env = { ...OF_A_STRANGER, ...gateway.exports, ...own }
  const line = { what: `examples/${name}`, version: '', does }
  const result = await row(line, async () => {
    const { copy, commands, more, start } = readmeOf(name, port)
    await new Running(copy, place, env).ended()
    await movePort(folder, port)
    await add?.(folder)
    const said = await new Running(NPM + commands, folder, env, input).ended()
    if (compiles) await compile(folder)
    const { WIGWAG_BASE_URL: baseUrl, WIGWAG_CALLBACK_SECRET: secret = '' } = gateway.exports
    const { WIGWAG_CLIENT_ID: clientId = '', WIGWAG_CLIENT_SECRET: clientSecret = '' } = gateway.exports
    const { WIGWAG_WALLET_TOKEN: walletToken = '' } = gateway.exports
    const sms = createClient({ baseUrl, clientId, clientSecret, walletToken, from: 'WIGWAG' })
    const address = `http://127.0.0.1:${port}`
    await proves?.({
      folder,
      env,
      sms,
      secret,
      address,
      said,
      more,
      start: () => new Running(start, folder, env),
    })
  })
  const version = result.problem ? '' : versionOf(shows, join(folder, 'node_modules'))
  // Each is some hundred megabytes.
  await rm(folder, { recursive: true, force: true })
  return { ...result, version }
}

/** The tarballs. Where the SDK is enough, the two hundred packages of the server stay away. */
function packedFor(name: string): string {
  const manifest = readFileSync(join(root, 'examples', name, 'package.json'), 'utf8')
  return manifest.includes('@wigwag/server') ? '../packed/*.tgz' : '../packed/wigwag-sdk-*.tgz'
}

/** The commands of a README: the copy, those in it, those beside it, and the start. */
function readmeOf(name: string, port: string) {
  const file = `examples/${name}/README.md`
  const { blocks } = readPage(file, readFileSync(join(root, file), 'utf8'))
  const text = (block: Block | undefined) => (block?.text ?? '').replaceAll('3000', port)
  const [first, more] = blocks.filter(({ mark }) => mark === '')
  const [copy = '', ...commands] = text(first).split('\n')
  return {
    copy,
    commands: commands.join('\n'),
    more: text(more),
    start: text(blocks.find(({ mark }) => mark === 'start')),
  }
}

/** Somebody else may listen at the port that they name. */
async function movePort(folder: string, port: string): Promise<void> {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
    const text = await readFile(join(folder, name), 'utf8')
    if (text.includes('3000')) await writeFile(join(folder, name), text.replaceAll('3000', port))
  }
}

/** As strictly as a program may be compiled. */
async function compile(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  const options = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  }
  const said = await complaints(folder, files, options)
  if (said !== '') throw new Error(said)
}
