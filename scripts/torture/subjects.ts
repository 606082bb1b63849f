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
  histories: {
    title: 'Histories of many clients',
    about:
      'Clients send, repeat, schedule, cancel and read at random at three gateways that are killed, stopped and cut off, and the operator books. What each was answered is recorded, and then checked: is there an order of all operations that explains the balances, the ledgers, the keys, the statuses and the messages? Bugs that are planted in the program show that the check finds them.',
    tests: ['packages/server/test/torture/histories/'],
  },
}
