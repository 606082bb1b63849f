import type { Tx } from '../store/database.ts'
import { type AccountRow, findAccount, setAccountFacts } from './accounts.ts'
import { type Changing, changeAccount, OperatorError, requireAccount } from './change.ts'

/** The name, the own address and the country of an account; what is left out stays. */
export interface AccountFacts {
  name?: string | undefined
  /** The account's own address, by which operators find it. Its people sign in with theirs, which stay. */
  email?: string | undefined
  /** Of numbers that its people write without a country code; empty for none. */
  country?: string | undefined
}

const NAMES = ['name', 'email', 'country'] as const

type Edited = AccountRow & { changed: boolean }

/** Renames an account or gives it another address. Changes nothing, and is not audited, when it is so already. */
export async function editAccount(parts: Changing, idOrEmail: string, facts: AccountFacts): Promise<Edited> {
  const { name, country } = facts
  const email = facts.email?.toLowerCase()
  const detail: Record<string, unknown> = {}
  const edit = async (tx: Tx, { id }: AccountRow) => {
    // Read again behind its lock: another edit may have changed the other fact.
    const account = await requireAccount(tx, id)
    const next = {
      name: name ?? account.name,
      email: email ?? account.email,
      country: country ?? account.country,
    }
    const changed = NAMES.some((key) => next[key] !== account[key])
    if (!changed) return { ...account, changed }
    await refuseTaken(tx, id, next.email)
    await setAccountFacts(tx, id, next)
    for (const key of NAMES)
      if (next[key] !== account[key])
        Object.assign(detail, { [key]: next[key], [`${key}Before`]: account[key] })
    return { ...account, ...next, changed }
  }
  try {
    return await changeAccount(parts, 'account.edit', idOrEmail, detail, edit, ({ changed }) => changed)
  } catch (error) {
    // Of two that take the same address at once, the database refuses one.
    const account = await parts.database.read((tx) => findAccount(tx, idOrEmail))
    if (account && email !== undefined && !(error instanceof OperatorError))
      await parts.database.read((tx) => refuseTaken(tx, account.id, email))
    throw error
  }
}

async function refuseTaken(tx: Tx, id: string, email: string): Promise<void> {
  const other = await findAccount(tx, email)
  if (other && other.id !== id) throw new OperatorError(`there is already an account for ${email}`)
}
