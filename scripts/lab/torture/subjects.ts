export interface Subject {
  title: string
  about: string
  /** The tests that make it up, as vitest is told of them. */
  tests: readonly string[]
  /** Its tests measure real time, so nothing runs beside them. */
  alone?: true
}

/**
 * The subjects of `npm run torture` in their order, the longest first. Their tests report counts with
 * `checkFigures`.
 */
export const SUBJECTS: Record<string, Subject> = {
  'fault-points': {
    title: 'Ended at every step',
    about:
      'A gateway ends itself with SIGKILL at each step that a message takes, before and after each commit, submission, receipt and callback, and another takes its place. Then each message is looked for as above. A step that is not reached is a failure.',
    tests: ['packages/server/test/torture/fault-points/'],
  },
  postgres: {
    title: 'Several gateways on PostgreSQL',
    about:
      'Three gateways under load on a PostgreSQL with a synchronous standby: one is stopped for longer than its leases last, one is killed, connections are cut, connections vanish without being closed, locks held, the database restarted, the gateways led to the standby by mistake, and the standby promoted after its primary was killed.',
    tests: ['packages/server/test/torture/postgres/'],
  },
  kills: {
    title: 'Killed at any instant',
    about:
      'Gateways are killed with SIGKILL while clients send, and started again. Afterwards each message that was acknowledged is looked for, and its charge and its callback.',
    tests: [
      'packages/server/test/process/kill.torture.test.ts',
      'packages/server/test/process/several.torture.test.ts',
      'packages/server/test/process/processes.torture.test.ts',
    ],
  },
  upgrades: {
    title: 'Upgraded under load',
    about:
      'Two versions are made of what was built, whose made-up steps add a table, columns and an index where every send writes, and take them away again. While clients send, gateways go from version to version by the commands of the page of upgrading: three on PostgreSQL, one after the other and back, and one on SQLite. Old ones start beside the new schema.',
    tests: ['packages/server/test/process/upgrade.torture.test.ts'],
  },
  'carrier-chaos': {
    title: 'Killed on both sides of SMPP',
    about:
      'Gateways and their carrier, a separate process over SMPP that also hangs up, falls silent, throttles and forgets receipts, are killed with SIGKILL while clients send. What the carrier wrote down is compared with what the gateways know: no part is submitted twice, and a message whose end is not known is listed as uncertain.',
    tests: ['packages/server/test/process/carrier-chaos.torture.test.ts'],
  },
  pages: {
    title: 'The pages for operators',
    about:
      'The commands of the pages for operators are run in order, from an empty machine on, and every step of the image is built without a container engine.',
    tests: [
      'scripts/test/operating/',
      'scripts/test/deploy/',
      'packages/server/test/moving/page.torture.test.ts',
    ],
  },
  generators: {
    title: 'What is generated',
    about:
      'A copy of the tree is edited: what no longer agrees with openapi.yaml is named, and after it was made again the compiler names what the server lacks.',
    tests: ['scripts/test/generate.torture.test.ts'],
  },
  mutants: {
    title: 'Mutants of the rules',
    about:
      'The rules of money, segments, statuses, prices, callbacks and limits are broken in hundreds of small ways, one after the other. Their tests must find each, or a list says why none could.',
    tests: ['packages/server/test/torture/mutants/'],
  },
  money: {
    title: 'Money under load',
    about: 'A minute of sends, repeats and cancels on each engine, with the books checked all the time.',
    tests: ['packages/server/test/money/money.torture.test.ts'],
  },
  system: {
    title: 'Faults of the system below',
    about:
      'While clients send, what is below a gateway fails: its disk has no room, fails a sync once or becomes read-only, others hold its locks, it may open no more files, its memory is small. Then the fault goes away, and each message that was acknowledged is looked for.',
    tests: ['packages/server/test/torture/system/'],
  },
  protocol: {
    title: "The protocol's own suites",
    about:
      "The connector is tried with the protocol's official conformance suites, its inspector, and its official clients of both eras.",
    tests: ['packages/mcp/test/interop/'],
  },
  clocks: {
    title: 'Clocks',
    about:
      'While clients send, the clock of a gateway jumps three days and ten minutes, ahead and back. Two gateways on one PostgreSQL, whose clocks are twenty minutes apart, are killed in turns; a carrier in a separate process writes down what it takes.',
    tests: [
      'packages/server/test/torture/clocks/',
      'packages/server/test/process/clock-set-back.torture.test.ts',
    ],
  },
  requests: {
    title: 'Any request at all',
    about:
      'Requests are made from openapi.yaml: valid ones, ones at the edges of what is valid, ones that are wrong in a place, and rubbish. Each answer is compared with the document, and what left the wallets with what was acknowledged. Then clients that are slow, deep, large, greedy or deaf come beside a healthy one, whose waits are measured.',
    tests: ['packages/server/test/torture/requests/'],
  },
  histories: {
    title: 'Histories of many clients',
    about:
      'Clients send, repeat, schedule, cancel and read at random at three gateways that are killed, stopped and cut off, and the operator books. What each was answered is recorded, and then checked: is there an order of all operations that explains the balances, the ledgers, the keys, the statuses and the messages? Bugs that are planted in the program show that the check finds them.',
    tests: ['packages/server/test/torture/histories/'],
  },
  backups: {
    title: 'Backups under load',
    about:
      'An SQLite file is backed up again and again while clients send, and each backup is restored and used.',
    tests: ['packages/server/test/torture/backups.torture.test.ts'],
  },
  stops: {
    title: 'Stopped, and watched by many',
    alone: true,
    about:
      'Gateways are asked to stop under load, while clients, receivers, carriers or the database do not answer, and must end in time with nothing lost. Two gateways show on their pages what either accepts, within half a second.',
    tests: [
      'packages/server/test/process/stop.torture.test.ts',
      'packages/server/test/process/streams.torture.test.ts',
    ],
  },
  times: {
    title: 'Time and its bounds',
    alone: true,
    about:
      'What costs time costs a bounded one: rubbish that is parsed, a bulk that is far too long, one that is as long as may be and holds the thread in slices, a log of the database that grows, a password that is verified beside other work, which takes as long for an account that is not there, and a wallet that is locked, which holds up no other.',
    tests: [
      'packages/server/test/platform/http/parsing-time.torture.test.ts',
      'packages/server/test/platform/database/sqlite/checkpoints.torture.test.ts',
      'packages/server/test/portal/sign-in-timing.torture.test.ts',
      'packages/server/test/portal/passwords/password-threads.torture.test.ts',
      'packages/server/test/sending/locked-wallet.torture.test.ts',
      'packages/server/test/routes/hostile/long-bulks.torture.test.ts',
      'packages/server/test/routes/hostile/held-thread.torture.test.ts',
    ],
  },
}
