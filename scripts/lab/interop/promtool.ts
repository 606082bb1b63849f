import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAIN } from '../bench/rig/gateways.ts'
import { demoHeaders } from '../bench/rig/processes.ts'
import type { Check } from './check.ts'
import { startProgram } from './program.ts'

const ALERTS = join(import.meta.dirname, '../../../deploy/prometheus')
const DASHBOARD = join(import.meta.dirname, '../../../deploy/grafana/wigwag.json')
const MISSING = 'Install promtool: apt-get install prometheus'

/** Prometheus' own tool reads the metrics of a gateway, and the alerts and the dashboard that are made for them. */
export async function promtool(folder: string, check: Check): Promise<void> {
  const program = await startProgram(process.execPath, [MAIN, 'serve', '--port', '0'], {
    cwd: folder,
    env: { WIGWAG_DATABASE_URL: ':memory:' },
  })
  await program.line(/API reference/)
  const said = program.lines().join('\n')
  const url = /listening on (\S+)/.exec(said)?.[1] ?? ''

  await check('metrics have no fault', async () => {
    await fetch(`${url}/v1/account/balance`, { headers: demoHeaders({ said }) })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    await runPromtool(['check', 'metrics'], metrics)
  })
  await check('alerts are valid', () => runPromtool(['check', 'rules', join(ALERTS, 'alerts.yml')]))
  await check('each alert is quiet and fires when it should', () =>
    runPromtool(['test', 'rules', join(ALERTS, 'alerts.test.yml')]),
  )
  await check('panels of the dashboard have valid expressions', async () => {
    const { panels }: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
      await readFile(DASHBOARD, 'utf8'),
    )
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const rules = expressions.map((expr, index) => ({ record: `panel_${index}`, expr }))
    const file = join(folder, 'dashboard.yml')
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    await runPromtool(['check', 'rules', file])
  })
  await program.stop()
}

/** Fails when it ends with another code than 0, or says anything against the input. */
function runPromtool(args: readonly string[], input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('promtool', args)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', (error) => reject(new Error(`promtool does not start. ${MISSING}`, { cause: error })))
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(output))))
    child.stdin.end(input)
  })
}
