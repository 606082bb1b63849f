import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A test that failed. */
export interface Red {
  file: string
  /** Undefined where the file could not be loaded, or its hooks failed. */
  name: string | undefined
  message: string
}

/** As much of what vitest writes as is read here. */
interface Report {
  numPassedTests: number
  testResults: readonly {
    name: string
    status: string
    message: string
    assertionResults: readonly { status: string; fullName: string; failureMessages: readonly string[] }[]
  }[]
}

/** What a run of vitest wrote. A run that wrote nothing is a failure of its step, not of a test. */
export function readResults(path: string): { passed: number; reds: Red[] } {
  if (!existsSync(path)) return { passed: 0, reds: [] }
  const report: Report = JSON.parse(readFileSync(path, 'utf8'))
  const reds = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }): Red[] => {
      const file = relative(root, name)
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      if (failed.length === 0) return [{ file, name: undefined, message }]
      return failed.map((test) => ({ file, name: test.fullName, message: test.failureMessages.join('\n') }))
    })
  return { passed: report.numPassedTests, reds }
}
