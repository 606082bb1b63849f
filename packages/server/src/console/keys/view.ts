import type { KeepOldFor, OwnKey, Rotated } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'

/** A rotation that was refused because of the password. */
export interface RefusedRotation {
  id: string
  keep: KeepOldFor
  error: string
}

export interface KeysPageView {
  keys: readonly OwnKey[]
  now: EpochMs
  form: FormTicket
  /** Whether a new secret requires the password. */
  askPassword: boolean
  /** The demo account of a sandbox, whose secrets are on another page. */
  isDemo: boolean
  /** What was just made: shown once, and nowhere else. */
  made: Rotated | undefined
  refused: RefusedRotation | undefined
  /** Why nothing was made. */
  problem: string | undefined
  /** Whether an old key was just ended. */
  ended: boolean
}
