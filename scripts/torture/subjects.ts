export interface Subject {
  title: string
  about: string
  /** The tests that make it up, as vitest is told of them. */
  tests: readonly string[]
}

/** What `npm run torture` does, in order. The tests of a subject say what they count with `checkFigures`. */
export const SUBJECTS: Record<string, Subject> = {
  money: {
    title: 'Money under load',
    about: 'A minute of sends, repeats and cancels on each engine, with the books checked all the time.',
    tests: ['packages/server/test/money/money.test.ts'],
  },
  kills: {
    title: 'Killed at any instant',
    about:
      'Gateways and their carrier are killed with SIGKILL while clients send, and started again. Afterwards each message that was acknowledged is looked for, and its charge, its submission and its callback.',
    tests: ['packages/server/test/process/'],
  },
  postgres: {
    title: 'Several gateways on PostgreSQL',
    about:
      'Three gateways under load on a PostgreSQL with a synchronous standby: one is stopped for longer than its leases last, one is killed, connections are cut, locks held, the database restarted, the gateways led to the standby by mistake, and the standby promoted after its primary was killed.',
    tests: ['packages/server/test/torture/postgres/'],
  },
}
