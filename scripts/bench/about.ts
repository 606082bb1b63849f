interface About {
  title: string
  about: string
  conclusion?: string
}

/** The parts of `npm run bench`: what their reports are called, and what was done for them. */
export const ABOUT = {
  start: {
    title: 'Start and rest',
    about: 'How long a gateway takes to answer, and its memory while nothing happens.',
  },
  lives: {
    title: 'Whole lives of messages',
    about:
      'Messages are accepted, handed to a carrier that answers after 100 ms, and ended within the time that is measured, beside what else there is.',
  },
  where: {
    title: 'Where the time goes',
    about:
      'A gateway under a load of whole lives without rest, profiled by V8 every half a millisecond: what a message costs, by step and by function.',
    conclusion:
      'On SQLite the largest step is the flush of commits, which all that came together share; the next is callbacks, each of which is a separate request with a signature. On PostgreSQL most of the time is at the server, in two statements, finish and accept, each of which does everything for all messages that came together; waits for the disk and for wallets are in it.',
  },
  isolation: {
    title: 'Isolation under load',
    about:
      'What one customer, carrier or receiver in trouble costs the others: p99 beside trouble, by p99 while all is quiet.',
  },
  bulk: { title: 'Bulks', about: 'Lists of recipients, by the operation for them and one by one.' },
  growth: { title: 'Growth', about: 'The same requests to databases with few messages and with many.' },
  sdk: { title: 'The SDK', about: 'What the client costs beside requests that are written by hand.' },
  connector: {
    title: 'The connector',
    about: 'Calls of tools, beside the defaults of the libraries for both eras of the protocol.',
  },
  'sign-in': { title: 'Sign-in', about: 'People who sign in while others send.' },
  carriers: { title: 'Carriers', about: 'Messages over SMPP, beside the simulator.' },
  console: { title: 'Open pages', about: 'Sends while many pages of the console follow what happens.' },
  pages: { title: 'Pages', about: 'First answers of the console to a person who is signed in.' },
  move: { title: 'Moving', about: 'From an SQLite file to PostgreSQL.' },
  retention: {
    title: 'Forgetting',
    about:
      'Months pass, each with as many messages as the one that is forgotten in it, under an even load of sends.',
  },
  scale: {
    title: 'Scale',
    about:
      'What messages cost on PostgreSQL, a simulation with these costs beside measured loads, and what larger systems hold by formulas: docs/scale.md says how to read it.',
  },
} satisfies Record<string, About>

export type PartName = keyof typeof ABOUT
