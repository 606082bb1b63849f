/** When its person can't be asked, a connection either sends within its limits or refuses. */
export const UNASKED = ['send', 'refuse'] as const
export type Unasked = (typeof UNASKED)[number]

export function isUnasked(text: string): text is Unasked {
  return UNASKED.some((each) => each === text)
}
