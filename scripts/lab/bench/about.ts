interface About {
  title: string
  about: string
}

/** The parts of `npm run bench`: what their reports are called, and what was done for them. */
export const ABOUT = {
  start: {
    title: 'Start and rest',
    about: 'How long a gateway takes to answer, and its memory while nothing happens.',
  },
  flow: {
    title: 'The whole way of messages',
    about:
      'Messages are accepted, handed to a carrier whose receipts take 100 ms, ended, charged and told of within the time that is measured, with the simulator and over SMPP, beside what else there is.',
  },
  where: {
    title: 'Where the time goes',
    about:
      'A gateway under a load without rest of messages that go over SMPP and ask for callbacks, profiled by V8 every half a millisecond: what a message costs, by step and by function.',
  },
  sizes: {
    title: 'Sizes',
    about:
      'What another gateway adds, when each gateway and PostgreSQL have a part of a processor to themselves.',
  },
  isolation: {
    title: 'Isolation under load',
    about:
      'What one customer, carrier or receiver in trouble costs the others: beside trouble, by the same while all is quiet.',
  },
  growth: { title: 'Growth', about: 'The same requests to databases with few messages and with many.' },
  sdk: { title: 'The SDK', about: 'What the client costs beside requests that are written by hand.' },
  smpp: {
    title: 'The SMPP client',
    about:
      "The client of `@wigwag/smpp` beside npm's `smpp`: the same texts to the same carrier, with all receipts.",
  },
  connector: {
    title: 'The connector',
    about: 'Calls of tools, beside the defaults of the libraries for both eras of the protocol.',
  },
  'sign-in': { title: 'Sign-in', about: 'People who sign in while others send.' },
  console: { title: 'Open pages', about: 'Sends while many pages of the console follow what happens.' },
  pages: { title: 'Pages', about: 'First answers of the console to a person who is signed in.' },
  desk: {
    title: 'The desk',
    about:
      'Its pages, of different customers and messages each time, among a thousand customers and a million messages; and sends while two hundred overviews are open.',
  },
  move: { title: 'Moving', about: 'From an SQLite file to PostgreSQL.' },
  retention: {
    title: 'Forgetting',
    about:
      'Months pass, each with as many messages as the one that is forgotten in it, under an even load of sends.',
  },
} satisfies Record<string, About>

export type PartName = keyof typeof ABOUT
