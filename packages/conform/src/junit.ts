import type { Outcome } from './check.ts'
import { countsOf, failedMusts } from './report.ts'

/**
 * The outcomes as the XML that CI servers read. A `may` that failed is a skipped test there: it must not fail the build.
 */
export function junit(outcomes: readonly Outcome[], url: string): string {
  const failures = failedMusts(outcomes)
  const skipped = outcomes.length - failures - countsOf(outcomes).passed
  const counts = `tests="${outcomes.length}" failures="${failures}" errors="0" skipped="${skipped}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escaped(`wigwag conform ${url}`)}" ${counts}>`,
    ...outcomes.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase({ id, level, source, expects, state, came }: Outcome): string {
  const start = `    <testcase classname="${level}" name="${escaped(`${id} (${source}): ${expects}`)}"`
  if (state === 'passed') return `${start}/>`
  const isFailure = state === 'failed' && level === 'must'
  const message = state === 'failed' && !isFailure ? `failed, which is allowed: ${came}` : came
  return `${start}><${isFailure ? 'failure' : 'skipped'} message="${escaped(message)}"/></testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '').replace(/\p{Cc}/gu, ' ')
}
