/** A page of a customer's console that an operator asks for. */
export interface Viewed {
  account: { id: string; email: string; name: string; status: 'active' | 'suspended' }
  /** Where the console is on the port of operators, such as `/customers/1/console`. */
  base: string
  /** The page below that, such as `/messages`. */
  path: string
  /** Its query with the question mark, or nothing. */
  query: string
  method: string
  /** The browser's cookies, one of which keeps the theme. */
  cookies: string | undefined
  /** The page of the customer. */
  back: string
}

/** Shows a customer's console to an operator, read only. */
export type ConsoleView = (viewed: Viewed) => Promise<Response>
