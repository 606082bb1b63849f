/** What a connection does when its person can't be asked: it acts within its limits, or it doesn't act. */
export const UNASKED = ['send', 'refuse'] as const
export type Unasked = (typeof UNASKED)[number]

export function isUnasked(text: string): text is Unasked {
  return UNASKED.some((each) => each === text)
}
