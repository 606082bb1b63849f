/**
 * The laboratory: everything that measures, breaks or looks at what is here and is no part of it. Reports lie beside what
 * writes them, in scripts/lab/reports.
 *
 *   npm run lab                      what there is
 *   npm run lab -- bench flow        one of them; the head of scripts/lab/NAME.ts says what it takes
 *   npm run bench, npm run torture   short for these two
 */
import { argv } from 'node:process'
import './jsx.ts'

const laboratory: Record<string, { about: string; run(): Promise<unknown> }> = {
  bench: {
    about: 'Measures speed, processor time and memory, beside others in the same run.',
    run: () => import('./lab/bench.ts'),
  },
  torture: {
    about: 'Kills, fails and misleads gateways, then looks for every message and every charge.',
    run: () => import('./lab/torture.ts'),
  },
  interop: {
    about: 'Runs the gateway beside programs of Debian: SMPP, proxies, PostgreSQL, Prometheus, shells.',
    run: () => import('./lab/interop.ts'),
  },
  runtimes: {
    about: 'Runs the packed SDK on every runtime, compiler and test runner that it promises.',
    run: () => import('./lab/runtimes.ts'),
  },
  pictures: {
    about: 'Takes a picture of every page of the console, to look at after a change.',
    run: () => import('./lab/pictures.ts'),
  },
  house: {
    about: 'Counts files, lines and mechanisms of the sources, and the calls whose definition is code.',
    run: () => import('./lab/house.ts'),
  },
  fresh: {
    about: 'Clones the last commit, starts it as a newcomer would, and says how long that takes.',
    run: () => import('./lab/fresh.ts'),
  },
}

const [name = ''] = argv.splice(2, 1)
const chosen = laboratory[name]
if (chosen) await chosen.run()
else {
  const width = Math.max(...Object.keys(laboratory).map((each) => each.length))
  const list = Object.entries(laboratory).map(([each, { about }]) => `  ${each.padEnd(width)}  ${about}`)
  console.log(['npm run lab -- NAME …', '', ...list].join('\n'))
  if (name !== '') {
    console.error(`\nExpected one of these names; got ${name}.`)
    process.exitCode = 2
  }
}
