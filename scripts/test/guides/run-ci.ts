/**
 * Runs the commands of a workflow as GitHub or GitLab would: on a machine that knows no gateway, each step in a shell of its
 * own, with what the steps before put into `GITHUB_ENV`.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, env } from 'node:process'
import { parse } from 'yaml'

interface Workflow {
  jobs?: Record<string, { steps: { run?: string }[] }>
  test?: { script: string[] }
}

const PASSED_ON = ['WIGWAG_PORT', 'WIGWAG_OPERATOR_PORT']
const [, , file = ''] = argv
const workflow: Workflow = parse(readFileSync(file, 'utf8'))
const steps = workflow.jobs
  ? Object.values(workflow.jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []))
  : [(workflow.test?.script ?? []).join('\n')]
const added = join(env.HERE ?? '.', 'github.env')
writeFileSync(added, '')

const machine = Object.fromEntries(
  Object.entries(env).filter(([name]) => !name.startsWith('WIGWAG_') || PASSED_ON.includes(name)),
)
const groups: number[] = []
for (const step of steps) {
  const code = await run(step)
  if (code === 0) continue
  console.error(`${file}: a step ended with ${code}:\n${step}`)
  process.exitCode = 1
  break
}
for (const group of groups) endGroup(group)

function run(step: string): Promise<number | null> {
  const given = [...readFileSync(added, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const child = spawn('bash', ['-eo', 'pipefail', '-c', step], {
    env: { ...machine, ...Object.fromEntries(given), GITHUB_ENV: added },
    stdio: 'inherit',
    detached: true,
  })
  if (child.pid !== undefined) groups.push(child.pid)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}

/** Ends what a step left running. */
function endGroup(group: number): void {
  try {
    process.kill(-group)
  } catch {
    // It left nothing.
  }
}
