import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../packages/server/test/support/free-port.ts'
import { asFile, projectSurroundings } from '../guides/project.ts'
import { type Block, type Page, root } from './page.ts'

export const MAIN = join(root, 'packages/server/dist/main.js')

/** Runs commands of the page's gateway in its place. */
const SYSTEMD_RUN = join(root, 'scripts/test/deploy/systemd-run.ts')

export interface RunOptions {
  by: 'test' | 'interop' | 'runtimes'
  /** An empty PostgreSQL database, for pages that need one. */
  postgresUrl?: string | undefined
  /** The packages that `npm install` finds in a project, of `createStore`. */
  store?: string | undefined
  /** The program of Chromium, for a project whose tests open one. */
  browser?: string | undefined
}

/** Starts and stops the gateway of a page, in place of systemd, and what runs beside its commands. */
const PREAMBLE = `
set -euo pipefail
gateway=
besides=
start_gateway() {
  wigwag serve >>"$HERE/serve.log" 2>&1 &
  gateway=$!
  for _ in $(seq 300); do
    if curl -fs "http://127.0.0.1:$WIGWAG_PORT/readyz" >/dev/null; then return; fi
    if ! kill -0 $gateway 2>/dev/null; then break; fi
    sleep 0.1
  done
  cat "$HERE/serve.log" >&2
  return 1
}
stop_gateway() {
  if [ -n "$gateway" ]; then kill $gateway; wait $gateway || true; gateway=; fi
}
paste_exports() {
  for _ in $(seq 300); do
    if grep -q 'Stop with Ctrl-C' "$HERE/serve.log"; then break; fi
    sleep 0.1
  done
  eval "$(grep '^export ' "$HERE/serve.log")"
}
beside() {
  local log="$HERE/beside-$1.log"
  set -m
  bash -c "$2" >"$log" 2>&1 &
  set +m
  besides="$besides $!"
  for _ in $(seq 600); do
    if [ -s "$log" ]; then break; fi
    sleep 0.1
  done
  if ! kill -0 $! 2>/dev/null; then cat "$log" >&2; return 1; fi
}
stop_all() {
  for each in $besides; do kill -- "-$each" || true; done
  stop_gateway
}
trap 'code=$?; stop_all; exit $code' EXIT
`
const ACCOUNT =
  'wigwag account create --name Acme --email ops@acme.example --balance 50 --sender ACME --json >acme.json'

/** Runs a page's commands. Throws with the line and what was printed, if one fails. */
export async function runPage(page: Page, options: RunOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-page-'))
  const role = page.needs.includes('role') ? await createRole(options.postgresUrl) : undefined
  try {
    const ports = { api: await freePort(), metrics: await freePort() }
    const env = { ...(await surroundings(folder, page, options, ports)), ...role?.env }
    const isProject = page.needs.includes('project')
    const numbers = { 8080: ports.api, 9464: ports.metrics, ...(isProject && { 3000: await freePort() }) }
    const moved = (text: string) =>
      Object.entries(numbers).reduce(
        (moving, [from, to]) => moving.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), String(to)),
        text,
      )
    const script = [
      PREAMBLE,
      ...firstSteps(page),
      ...page.blocks
        .filter(({ runBy }) => runBy === 'test' || runBy === options.by)
        .flatMap((block) => [
          `printf '\\n### line ${block.line}\\n' >&2`,
          moved(commandsOf(block, isProject)),
        ]),
    ].join('\n')
    const { code, output } = await runScript(script, folder, env)
    if (code === 0) return
    const line = [...output.matchAll(/^### line (\d+)$/gm)].at(-1)?.[1] ?? '1'
    throw new Error(`${page.file}:${line}: a command ended with ${code}\n${output.slice(-3_000)}`)
  } finally {
    await role?.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Gives a database to the role wigwag, which owns nothing else. Removes the role with all that it then owns. */
async function createRole(postgresUrl = '') {
  const administrator = new URL('/postgres', postgresUrl).href
  const own = new URL(postgresUrl)
  const database = own.pathname.slice(1)
  own.username = 'wigwag'
  own.password = 'change-me'
  await ask(administrator, [
    `CREATE ROLE wigwag LOGIN PASSWORD '${own.password}'`,
    `ALTER DATABASE "${database}" OWNER TO wigwag`,
    `REVOKE ALL ON DATABASE "${database}" FROM PUBLIC`,
  ])
  return {
    env: { WIGWAG_DATABASE_URL: own.href },
    async remove() {
      const owned = "SELECT datname AS name FROM pg_database WHERE datdba = 'wigwag'::regrole"
      const names = (await ask(administrator, [owned])).map(({ name }) => name)
      await ask(administrator, [
        ...names.map((name) => `DROP DATABASE "${name}" WITH (FORCE)`),
        'DROP ROLE wigwag',
      ])
    },
  }
}

async function ask(url: string, statements: readonly string[]): Promise<{ name: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const rows = []
    for (const statement of statements) rows.push(...(await client.query<{ name: string }>(statement)).rows)
    return rows
  } finally {
    await client.end()
  }
}

function firstSteps({ needs }: Page): string[] {
  const any = (...names: Page['needs']) => names.some((name) => needs.includes(name))
  return [
    ...(any('database', 'gateway', 'account') ? ['wigwag migrate >/dev/null'] : []),
    ...(any('account') ? [ACCOUNT] : []),
    ...(any('gateway') ? ['start_gateway'] : []),
  ]
}

function commandsOf({ mark, done, file, text, line }: Block, isProject: boolean): string {
  if (file) return asFile(file, text)
  if (mark === 'beside') return `beside ${line} '${text.trim().replaceAll("'", "'\\''")}'`
  if (!done) return text
  return [
    ...(mark === 'start' ? [] : ['stop_gateway']),
    ...(mark === 'stop' ? [] : ['start_gateway', ...(isProject ? ['paste_exports'] : [])]),
  ].join('\n')
}

async function surroundings(
  folder: string,
  { file, needs }: Page,
  { postgresUrl, store, browser }: RunOptions,
  ports: { api: number; metrics: number },
): Promise<Record<string, string>> {
  const bin = join(folder, '.bin')
  await mkdir(bin)
  await writeFile(join(bin, 'wigwag'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  await writeFile(join(bin, 'sudo'), '#!/bin/sh\nexec "$@"\n')
  await writeFile(join(bin, 'systemd-run'), `#!/bin/sh\nexec '${process.execPath}' '${SYSTEMD_RUN}' "$@"\n`)
  for (const name of ['wigwag', 'sudo', 'systemd-run']) await chmod(join(bin, name), 0o755)
  await symlink(join(root, 'deploy/systemd/wigwag-admin'), join(bin, 'wigwag-admin'))
  await symlink(join(root, 'deploy'), join(folder, 'deploy'))
  if (needs.includes('postgres') && postgresUrl === undefined)
    throw new Error(`${file}: no PostgreSQL to run it on`)
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const isProject = needs.includes('project')
  return {
    PATH: [bin, PATH].join(delimiter),
    NODE_COMPILE_CACHE,
    PROGRAM: join(bin, 'wigwag'),
    HOME: folder,
    HERE: folder,
    WIGWAG_PORT: String(ports.api),
    WIGWAG_METRICS_PORT: String(ports.metrics),
    WIGWAG_SECRET: 'a secret of a page, which is long enough',
    ...(isProject && (await projectSurroundings(bin, store))),
    ...(browser === undefined ? {} : { CHROMIUM: browser }),
    ...(isProject || needs.includes('sandbox')
      ? {}
      : { WIGWAG_ENV: 'production', WIGWAG_CARRIER: 'simulator' }),
    ...(needs.includes('postgres') && postgresUrl ? postgresVariables(postgresUrl) : {}),
  }
}

/** The database for the gateway, and for PostgreSQL's own programs. */
function postgresVariables(text: string): Record<string, string> {
  const url = new URL(text)
  return {
    WIGWAG_DATABASE_URL: text,
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: url.username,
    PGPASSWORD: url.password,
    PGDATABASE: url.pathname.slice(1),
  }
}

function runScript(script: string, cwd: string, env: Record<string, string>) {
  const child = spawn('bash', [], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  // As one function: otherwise a command that reads its input would read the rest of the page.
  child.stdin.end(`page() {\n${script}\n}\npage </dev/null\n`)
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output: Buffer.concat(output).toString() }))
  })
}
