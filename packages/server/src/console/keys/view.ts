import type { OwnKey, Rotated } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'

export interface KeysPageView {
  keys: readonly OwnKey[]
  now: EpochMs
  form: FormTicket
  /** The demo account of a sandbox, whose secrets are on another page. */
  isDemo: boolean
  /** What was just made: shown once, and nowhere else. */
  made: Rotated | undefined
  /** Why nothing was made. */
  problem: string | undefined
  /** Whether an old key was just ended. */
  ended: boolean
}
