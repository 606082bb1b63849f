/** Whether the other side has stopped answering. */
export interface Silence {
  /** From a request without an answer, with none to others since it left, until the next answer. */
  readonly isOn: boolean
  answered(): void
  /** A request that left at this time has no answer. Returns whether nothing has been answered since. */
  unanswered(sentAt: number): boolean
}

export function createSilence(elapsed: () => number): Silence {
  let answeredAt = Number.NEGATIVE_INFINITY
  let isOn = false
  return {
    get isOn() {
      return isOn
    },
    answered() {
      answeredAt = elapsed()
      isOn = false
    },
    unanswered(sentAt) {
      const nothingSince = sentAt > answeredAt
      isOn ||= nothingSince
      return nothingSince
    },
  }
}
