import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase } from 'vitest/node'

const SHOWN = 20

/** Prints the tests and the files that took the most processor time: where to begin when all of them take too long. */
export default class DearReporter implements Reporter {
  readonly #tests = new Map<string, number>()
  readonly #files = new Map<string, number>()

  onTestCaseResult(test: TestCase): void {
    const { processorMs = 0 } = test.meta()
    const file = relative('.', test.module.moduleId)
    this.#tests.set(`${file} › ${test.fullName}`, processorMs)
    this.#files.set(file, (this.#files.get(file) ?? 0) + processorMs)
  }

  onTestRunEnd(): void {
    print('The dearest tests', this.#tests)
    print('The dearest files', this.#files)
    const file = process.env.DEAR_FILE
    if (file) writeFileSync(file, JSON.stringify({ tests: sorted(this.#tests), files: sorted(this.#files) }))
  }
}

function print(title: string, dear: ReadonlyMap<string, number>): void {
  const rows = sorted(dear)
  const total = rows.reduce((sum, [, ms]) => sum + ms, 0)
  console.log(
    `\n${title} of ${rows.length}, in seconds of the processor; all take ${(total / 1000).toFixed(1)}`,
  )
  for (const [name, ms] of rows.slice(0, SHOWN)) console.log(`${(ms / 1000).toFixed(2).padStart(8)}  ${name}`)
}

function sorted(dear: ReadonlyMap<string, number>): [string, number][] {
  return [...dear].sort(([, a], [, b]) => b - a)
}
