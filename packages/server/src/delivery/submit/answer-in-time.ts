import type { Clock } from '../../platform/clock.ts'

export interface AnswerOptions {
  clock: Clock
  /** Called when the carrier's code failed. Its answer then counts as unknown. */
  onFault(error: unknown): void
}

/** After this time without an answer, the carrier's answer counts as unknown. */
const LONGEST_ANSWER_MS = 60_000

/** A carrier's answers, each of them `otherwise` when it fails or takes too long. */
export function inTime<T>(
  answers: readonly Promise<T>[],
  otherwise: T,
  { clock, onFault }: AnswerOptions,
): Promise<T>[] {
  let giveUp = () => {}
  const late = new Promise<T>((resolve) => {
    giveUp = () => resolve(otherwise)
  })
  const began = clock.elapsed()
  let cancel = () => {}
  const wait = (ms: number) => {
    cancel = clock.after(ms, () => {
      const leftMs = LONGEST_ANSWER_MS - (clock.elapsed() - began)
      // Woken early, by a sandbox whose clock was moved: the carrier has all its time nevertheless.
      if (leftMs >= 1) return wait(leftMs)
      onFault(new Error(`the carrier has not answered for ${LONGEST_ANSWER_MS / 1_000} s`))
      giveUp()
    })
  }
  wait(LONGEST_ANSWER_MS)
  const failed = (error: unknown) => {
    onFault(error)
    return otherwise
  }
  const caught = answers.map((answer) => answer.catch(failed))
  void Promise.all(caught).then(() => cancel())
  return caught.map((answer) => Promise.race([answer, late]))
}
