/** Values of command_status that are named in the code. */
export const STATUS = {
  ok: 0x00,
  invalidLength: 0x02,
  invalidCommand: 0x03,
  invalidBindStatus: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  invalidDestination: 0x0b,
  invalidMessageId: 0x0c,
  invalidPassword: 0x0e,
  queueFull: 0x14,
  throttled: 0x58,
  /** A temporary error of the receiver: bring it again. */
  temporary: 0x64,
  queryFailed: 0x67,
  unknown: 0xff,
} as const

const NAMES: Record<number, string> = {
  1: 'RINVMSGLEN',
  2: 'RINVCMDLEN',
  3: 'RINVCMDID',
  4: 'RINVBNDSTS',
  5: 'RALYBND',
  6: 'RINVPRTFLG',
  7: 'RINVREGDLVFLG',
  8: 'RSYSERR',
  10: 'RINVSRCADR',
  11: 'RINVDSTADR',
  12: 'RINVMSGID',
  13: 'RBINDFAIL',
  14: 'RINVPASWD',
  15: 'RINVSYSID',
  17: 'RCANCELFAIL',
  19: 'RREPLACEFAIL',
  20: 'RMSGQFUL',
  21: 'RINVSERTYP',
  51: 'RINVNUMDESTS',
  52: 'RINVDLNAME',
  64: 'RINVDESTFLAG',
  66: 'RINVSUBREP',
  67: 'RINVESMCLASS',
  68: 'RCNTSUBDL',
  69: 'RSUBMITFAIL',
  72: 'RINVSRCTON',
  73: 'RINVSRCNPI',
  80: 'RINVDSTTON',
  81: 'RINVDSTNPI',
  83: 'RINVSYSTYP',
  84: 'RINVREPFLAG',
  85: 'RINVNUMMSGS',
  88: 'RTHROTTLED',
  97: 'RINVSCHED',
  98: 'RINVEXPIRY',
  99: 'RINVDFTMSGID',
  100: 'RX_T_APPN',
  101: 'RX_P_APPN',
  102: 'RX_R_APPN',
  103: 'RQUERYFAIL',
  192: 'RINVOPTPARSTREAM',
  193: 'ROPTPARNOTALLWD',
  194: 'RINVPARLEN',
  195: 'RMISSINGOPTPARAM',
  196: 'RINVOPTPARAMVAL',
  254: 'RDELIVERYFAILURE',
  255: 'RUNKNOWNERR',
}

/** Statuses that refuse the message, its sender or its recipient: the same message would be refused again. */
const FOR_GOOD = new Set([
  0x01, 0x06, 0x07, 0x0a, 0x0b, 0x15, 0x33, 0x34, 0x40, 0x42, 0x43, 0x44, 0x48, 0x49, 0x50, 0x51, 0x54, 0x55,
  0x61, 0x62, 0x63, 0x65, 0x66, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4,
])
const BUSY = new Set<number>([STATUS.throttled, STATUS.queueFull])

export type StatusKind = 'later' | 'not_taken' | 'rejected' | 'uncertain'

/** The answer to one submission. */
export type Answer =
  /** The id is empty when the carrier gave none. */
  | { kind: 'accepted'; id: string }
  | { kind: 'rejected'; reason: string }
  | { kind: 'not_taken'; reason: string }
  | { kind: 'later'; reason: string; afterMs: number }
  | { kind: 'uncertain' }

/** The standard's name of a status, and its number. */
export function nameOf(status: number): string {
  const number = `0x${status.toString(16).padStart(8, '0')}`
  const name = NAMES[status]
  return name === undefined ? number : `${name} (${number})`
}

/**
 * The meaning of a status other than 0. `own` has the carrier's deviations. An unknown status means that the
 * message was not taken, and may be tried again: carriers use their own numbers also for "no credit" and
 * "maintenance".
 */
export function kindOf(status: number, own: ReadonlyMap<number, StatusKind>): StatusKind {
  const given = own.get(status)
  if (given !== undefined) return given
  if (BUSY.has(status)) return 'later'
  return FOR_GOOD.has(status) ? 'rejected' : 'not_taken'
}
