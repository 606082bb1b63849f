/**
 * Runs the packed SDK on all that it promises to run on, and prints one table: Node 20, 22 and 24, Bun, Deno and
 * workerd, the compilers from the oldest to the newest, Jest and Vitest, what docs/sdk/coming-from.md compares, the
 * projects of examples/, Python, PHP, Go and Java without it, and five other SDKs beside ours. All that comes from npm, about
 * 1.1 GB, once, into .cache/runtimes; `npm test` also finds the Nodes there. The examples install anew, out of npm's own cache.
 *
 *   npm run lab -- runtimes                 all of it
 *   npm run lab -- runtimes engines      the files of scripts/lab/runtimes of these names
 */
import { createScratch } from '../../packages/sdk/test/package/scratch.ts'
import { beside } from './runtimes/beside.ts'
import { comingFrom } from './runtimes/coming-from.ts'
import { compilers } from './runtimes/compilers.ts'
import { engines } from './runtimes/engines.ts'
import { examples } from './runtimes/examples.ts'
import { guidesThere } from './runtimes/guides.ts'
import type { Idea, Row } from './runtimes/idea.ts'
import { install } from './runtimes/install.ts'
import { languages } from './runtimes/languages.ts'
import { testRunners } from './runtimes/test-runners.ts'

/** Ideas with time limits come last: `.ci/run` begins this beside the gate, which has ended by then. */
const ideas: Record<string, Idea> = {
  engines,
  compilers,
  'coming-from': comingFrom,
  examples,
  languages,
  beside,
  guides: guidesThere,
  'test-runners': testRunners,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in ideas))
if (unknown.length > 0) {
  console.error(`Expected names out of ${Object.keys(ideas).join(', ')}; got ${unknown.join(', ')}.`)
  process.exit(2)
}

install()
const rows: Row[] = []
for (const [name, idea] of Object.entries(ideas)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  await using scratch = await createScratch(idea.files)
  rows.push(...(await idea.run(scratch.folder)))
}

const failed = rows.filter(({ problem }) => problem !== '')
console.table(
  rows.map(({ what, version, does, problem }) => ({
    what,
    version,
    does,
    result: problem ? 'FAILED' : 'passed',
  })),
)
for (const { what, version, problem } of failed) console.error(`\n${what} ${version}:\n${problem}`)
if (failed.length > 0) process.exitCode = 1
