import type { Check } from './check.ts'
import { balance } from './checks/balance.ts'
import { bulk } from './checks/bulk.ts'
import { callback } from './checks/callback.ts'
import { chosen } from './checks/chosen.ts'
import { credentials } from './checks/credentials.ts'
import { descriptions } from './checks/descriptions.ts'
import { mcp } from './checks/mcp.ts'
import { single } from './checks/single.ts'
import { status } from './checks/status.ts'

export interface Part {
  heading: string
  checks: readonly Check[]
}

/** The specification from the first operation to the last section, and after it what it leaves to us. */
export const plan: readonly Part[] = [
  { heading: 'Balance', checks: balance },
  { heading: 'One message', checks: single },
  { heading: 'One text to many', checks: bulk },
  { heading: 'Status of a transaction', checks: status },
  { heading: 'Credentials', checks: credentials },
  { heading: 'Callbacks', checks: callback },
  { heading: 'Tools for assistants', checks: mcp },
  { heading: 'Published descriptions', checks: descriptions },
  { heading: 'What the specification leaves open', checks: chosen },
]
