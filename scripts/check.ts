/**
 * The fast gate: everything that can be said about the tree without running it. Steps run two at a time; a step
 * that passes is one line, and what a failing one said is printed in full.
 *
 *   npm run check                  all of it
 *   npm run check -- types arrows  the steps of these names
 */
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The slowest first, so that the two lanes end at about the same time. */
const steps = {
  types: 'tsc -p .',
  'sdk-types': 'tsc -p packages/sdk',
  'sdk-shape': 'publint --strict packages/sdk && attw --pack packages/sdk',
  'mcp-shape': 'publint --strict packages/mcp && attw --pack packages/mcp --profile esm-only',
  'smpp-shape': 'publint --strict packages/smpp && attw --pack packages/smpp',
  'conform-shape': 'publint --strict packages/conform && attw --pack packages/conform --profile esm-only',
  'server-shape': 'publint --strict packages/server && attw --pack packages/server --profile esm-only',
  unused: 'knip --no-config-hints',
  generated: 'node scripts/generate.ts --check',
  arrows: 'depcruise --config .dependency-cruiser.mjs packages scripts',
  // A lock file that was made where a registry lacked a package is found here, not on somebody's first day.
  lock: 'npm ci --dry-run --ignore-scripts --loglevel=error',
  size: 'size-limit',
  document: 'redocly lint',
  comments: 'node scripts/lint/comments.ts',
  format: 'biome check --error-on-warnings --max-diagnostics=none .',
}
type Step = keyof typeof steps

const root = join(import.meta.dirname, '..')
const env = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  // The gate asks nobody on the network whether there is a newer version of a tool, and reports to nobody.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  npm_config_update_notifier: 'false',
}

const waiting = chosen(process.argv.slice(2))
const width = Math.max(...waiting.map((name) => name.length))
const started = performance.now()
const failed: Step[] = []

await Promise.all([lane(), lane()])
console.log(`${'all'.padEnd(width)}  ${since(started)}`)
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`)
  process.exitCode = 1
}

function chosen(names: string[]): Step[] {
  const all = Object.keys(steps) as Step[]
  const unknown = names.filter((name) => !(name in steps))
  if (unknown.length > 0) {
    console.error(`Expected steps out of ${all.join(', ')}; got ${unknown.join(', ')}.`)
    process.exit(2)
  }
  return names.length === 0 ? all : all.filter((name) => names.includes(name))
}

async function lane(): Promise<void> {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const begun = performance.now()
    const { passed, output } = await run(steps[name])
    console.log(`${name.padEnd(width)}  ${since(begun)}  ${passed ? 'passed' : 'FAILED'}`)
    if (passed) continue
    failed.push(name)
    console.log(`\n$ ${steps[name]}\n${output.trimEnd()}\n`)
  }
}

function run(command: string): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(output).toString() }))
  })
}

function since(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s`
}
