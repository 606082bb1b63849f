import type { Answer } from '../support/front.ts'

/** Looks at each answer of a load. Answers are 200, or a 503 that says what it is and when to come again. */
export interface WatchedAnswers {
  onAnswer(answer: Answer | undefined): void
  /** All other answers. */
  unclear: readonly string[]
  taken: number
  refused: number
  /** How many requests got no answer. */
  none: number
}

export function watchAnswers(): WatchedAnswers {
  const unclear: string[] = []
  const counts = { taken: 0, refused: 0, none: 0 }
  return {
    unclear,
    get taken() {
      return counts.taken
    },
    get refused() {
      return counts.refused
    },
    get none() {
      return counts.none
    },
    onAnswer(answer) {
      if (answer === undefined) counts.none++
      else if (answer.status === 200) counts.taken++
      else if (answer.status === 503 && isClear(answer)) counts.refused++
      else unclear.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    },
  }
}

function isClear({ text, headers }: Answer): boolean {
  const problem: { status?: number; code?: string } = JSON.parse(text)
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json')
  return (
    isProblem === true &&
    problem.status === 503 &&
    (problem.code === 'unavailable' || problem.code === 'outcome_unknown') &&
    Number(headers.get('retry-after')) > 0
  )
}
