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
  requests: {
    title: 'Any request at all',
    about:
      'Requests are made from openapi.yaml: valid ones, ones at the edges of what is valid, ones that are wrong in a place, and rubbish. Each answer is compared with the document, and what left the wallets with what was acknowledged. Then clients that are slow, deep, large, greedy or deaf come beside a healthy one, whose waits are measured.',
    tests: ['packages/server/test/torture/requests/'],
  },
  migrations: {
    title: 'Every schema, with data',
    about:
      'A database of each schema that there ever was is filled, brought up to date and used. Then an SQLite file is backed up again and again while clients send, and each backup is restored and used.',
    tests: ['packages/server/test/torture/migrations/'],
  },
}
