import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'

const require = createRequire(import.meta.url)
const programs = {
  '0.1': require.resolve('@modelcontextprotocol/conformance/dist/index.js'),
  '0.2': require.resolve('@modelcontextprotocol/conformance-next/dist/index.js'),
}
/** A scenario writes `server-<scenario>-<time>/checks.json`. */
const RESULT = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/
const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))

/** A scenario that checked nothing has not passed: the suite skips what a server does not offer. */
export type Verdict = 'passed' | 'failed' | 'checked nothing'

export interface Outcome {
  verdict: Verdict
  /** The suite's messages about checks that failed. */
  complaints: string[]
}

/** Which line of the suite, and which of its scenarios. */
export interface Suite {
  line: keyof typeof programs
  scenarios: readonly string[]
}

/** All scenarios of the line that knows the revisions up to 2025-11-25. */
export const FIRST: Suite = { line: '0.1', scenarios: ['--suite', 'all'] }

/** The scenarios of a revision's requirements, and others that the suite adds. */
export function requirementsOf(revision: string): Suite {
  return { line: '0.2', scenarios: ['--requirements', revision] }
}

/** The names of all server scenarios that the suite may run. */
export async function listScenarios({ line }: Suite): Promise<string[]> {
  const { stdout } = await run(line, ['list', '--server'])
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].flatMap(([, name]) => name ?? [])
}

/** Runs every scenario against a server and returns the outcome of each. */
export async function runSuite(url: string, { line, scenarios }: Suite): Promise<Map<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-conformance-'))
  try {
    const { stderr } = await run(line, ['server', '--url', url, ...scenarios, '--output-dir', folder])
    const outcomes = new Map<string, Outcome>()
    for (const entry of await readdir(folder)) {
      const scenario = RESULT.exec(entry)?.[1]
      if (!scenario) throw new Error(`expected results of scenarios in ${folder}; got ${entry}`)
      const results = await readFile(join(folder, entry, 'checks.json'), 'utf8').catch(() => undefined)
      outcomes.set(
        scenario,
        results === undefined ? broken(stderr) : judge(checks.parse(JSON.parse(results))),
      )
    }
    return outcomes
  } finally {
    await rm(folder, { recursive: true })
  }
}

function judge(results: z.infer<typeof checks>): Outcome {
  const failures = results.filter(({ status }) => status === 'FAILURE')
  const successes = results.filter(({ status }) => status === 'SUCCESS')
  return {
    verdict: failures.length > 0 ? 'failed' : successes.length > 0 ? 'passed' : 'checked nothing',
    complaints: failures.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'failed'}`),
  }
}

function broken(said: string): Outcome {
  return { verdict: 'failed', complaints: [`the scenario ended without a result: ${said}`] }
}

/** The program exits with 1 when a scenario fails. The caller judges that. */
function run(line: Suite['line'], args: string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const options = { timeout: 300_000, maxBuffer: 16 * 1024 * 1024 }
    execFile(process.execPath, [programs[line], ...args], options, (error, stdout, stderr) => {
      if (error && error.code !== 1) reject(error)
      else resolve({ stdout, stderr })
    })
  })
}
