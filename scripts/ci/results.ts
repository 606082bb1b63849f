import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { checkout } from './step.ts'

/** A test that failed. */
export interface Red {
  file: string
  /** As `vitest -t` is told of it; undefined where the file could not be loaded, or its hooks failed. */
  name: string | undefined
  message: string
}

/** As much of what vitest writes as is read here. */
interface Report {
  numPassedTests: number
  testResults: readonly FileResult[]
}

interface FileResult {
  name: string
  status: string
  /** Of the file itself, not of its tests. */
  message: string
  assertionResults: readonly {
    status: string
    ancestorTitles: readonly string[]
    title: string
    failureMessages: readonly string[]
  }[]
}

/** Reads a report of vitest. A run that wrote none is a failure of its step, not of a test. */
export function readResults(path: string, folder: string = checkout): { passed: number; reds: Red[] } {
  if (!existsSync(path)) return { passed: 0, reds: [] }
  const report: Report = JSON.parse(readFileSync(path, 'utf8'))
  const failed = report.testResults.filter(({ status }) => status === 'failed')
  return { passed: report.numPassedTests, reds: failed.flatMap((file) => redsOf(file, folder)) }
}

function redsOf({ name, message, assertionResults }: FileResult, folder: string): Red[] {
  const file = relative(folder, name)
  const reds = assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ ancestorTitles, title, failureMessages }): Red => {
      return { file, name: [...ancestorTitles, title].join(' > '), message: failureMessages.join('\n') }
    })
  // A hook may fail beside tests. Where one fails inside of a group, there is neither a message nor a test.
  if (message === '' && reds.length > 0) return reds
  return [{ file, name: undefined, message }, ...reds]
}
