/** The contents of the site: every page once, by the role of its reader, as in the table of the root's README. */

export interface Entry {
  /** From the root of the repository. */
  source: string
  /** One line for `/llms.txt`, of what a reader finds there. */
  says: string
  /** Pages below it, which the column folds away. */
  below?: readonly Entry[]
}

export interface Section {
  title: string
  entries: readonly Entry[]
}

export const HOME: Entry = {
  source: 'README.md',
  says: 'what Wigwag is, the first message, and where to go on',
}

/** Pages below these are those of the folder, in the order of its index. */
export const DECISIONS = 'docs/decisions/README.md'
export const REFERENCE = 'docs/sdk/README.md'

const page = (source: string, says: string, below?: readonly Entry[]): Entry => ({
  source,
  says,
  ...(below && { below }),
})

export const CONTENTS: readonly Section[] = [
  {
    title: 'Build with it',
    entries: [
      page('packages/sdk/README.md', 'the typed client: sending, bulk, waiting, callbacks, errors, tests'),
      page('docs/guides/one-time-codes.md', 'an app that sends codes, from `npm start` to a passing test'),
      page('docs/guides/testing.md', 'Vitest, node:test, Jest, Playwright, and CI with a gateway'),
      page('docs/guides/phone-numbers.md', 'what the gateway takes, what people type, storing and comparing'),
      page('docs/guides/going-live.md', 'from the sandbox to production: keys, errors by code, watching'),
      page('docs/guides/other-languages.md', 'Python, PHP, Go and Java, with callbacks verified'),
      page('docs/concepts.md', 'accounts, keys, wallets, statuses, prices: the words that all of it shares'),
      page(
        'docs/sandbox.md',
        'test numbers, a clock to move, faults on purpose, a gateway in memory for tests',
      ),
      page('docs/callbacks.md', 'how a final status is posted, signed, verified and repeated'),
      page('docs/errors.md', 'every error code with its status, its meaning and what to do'),
      page(REFERENCE, 'every name of the SDK that can be imported: a page each'),
      page('docs/sdk/coming-from.md', 'the same tasks in Twilio, Vonage, Resend and here, side by side'),
      page('docs/sdk/opentelemetry.md', 'a span of every request'),
      page('docs/sdk/proxies.md', 'calling through an HTTP proxy'),
      page(
        'docs/from-a-clone.md',
        'how to get the packages until the first release, and how pages write the command',
      ),
      page('packages/smpp/README.md', 'SMPP 3.4 for programs that speak to carriers themselves'),
      page('docs/conform.md', 'trying any server against the specification with `wigwag conform`', [
        page('docs/conform-checks.md', 'each check, with the sentence of the specification that it is from'),
        page('packages/conform/README.md', 'the same checks in a program of your own'),
      ]),
    ],
  },
  {
    title: 'Connect an assistant',
    entries: [
      page(
        'docs/connector.md',
        'each host step by step, over stdio, at a gateway or standalone; limits; troubles',
      ),
      page('packages/mcp/README.md', 'the ten tools, what they may spend, and when a person is asked'),
    ],
  },
  {
    title: 'Run it',
    entries: [
      page('packages/server/README.md', 'the program `@wigwag/server`'),
      page('docs/operating.md', 'the pages for operators, in the order in which they are needed', [
        page('docs/operating/installing.md', 'npm and systemd, an image, Kubernetes; the first account'),
        page('docs/operating/secrets.md', 'how each secret is replaced'),
        page('docs/operating/proxies.md', 'TLS, trusted proxies, several gateways'),
        page('docs/operating/postgresql.md', 'roles, connections, several gateways on one database'),
        page('docs/operating/moving.md', 'from SQLite to PostgreSQL, and back'),
        page('docs/operating/fail-over.md', 'three machines with Patroni'),
        page('docs/operating/cells.md', 'accounts spread over several databases'),
        page('docs/operating/backups.md', 'backups on SQLite, with the drill that proves them'),
        page(
          'docs/operating/backups-postgresql.md',
          'backups on PostgreSQL, with the drill that proves them',
        ),
        page('docs/operating/desk.md', 'the pages for operators in the browser'),
        page('docs/operating/watching.md', 'metrics, alerts, logs'),
        page('docs/operating/incidents.md', 'what to do when something is wrong'),
        page('docs/operating/upgrading.md', 'a new version, and going back'),
        page('docs/operating/capacity.md', 'how to measure what a machine carries'),
        page('docs/operating/privacy.md', 'which personal data is kept, for how long, exported and erased'),
      ]),
      page('docs/carriers.md', 'real carriers, their answers, and what each means for the money', [
        page(
          'docs/carriers-reference.md',
          'every setting of a carrier, and templates for providers over HTTP',
        ),
      ]),
      page('docs/settings.md', 'every environment variable'),
      page('docs/command-line.md', 'every command of `wigwag` with its options'),
      page('docs/scale.md', 'what several gateways, databases and regions carry'),
    ],
  },
  {
    title: 'Use it as a customer',
    entries: [
      page('docs/console.md', 'the pages for customers: sending, the inbox, money, people, developers'),
    ],
  },
  {
    title: 'Look inside',
    entries: [
      page('docs/threat-model.md', 'who could misuse a gateway, and what stops them'),
      page('docs/words.md', 'one word for one thing, with the file where it is defined'),
      page(DECISIONS, 'what was decided where the specification is silent, and why'),
    ],
  },
]
