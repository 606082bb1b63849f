import type { Identity } from '../tools/index.ts'
import type { ListedPrompt, Values } from './prompt.ts'
import { sendATest } from './send_a_test.ts'
import { whatDidWeSpendLastWeek } from './what_did_we_spend_last_week.ts'
import { whyDidThisFail } from './why_did_this_fail.ts'

const prompts = [sendATest, whyDidThisFail, whatDidWeSpendLastWeek]
const every = prompts.map(({ listed }) => listed)
const reading = prompts.filter(({ sends }) => !sends).map(({ listed }) => listed)

/** The prompts whose steps the connection may take. */
export function promptsOf({ canSend }: Pick<Identity, 'canSend'>): readonly ListedPrompt[] {
  return canSend ? every : reading
}

export type WrittenPrompt =
  | { kind: 'written'; description: string; text: string }
  | { kind: 'refused'; text: string }

/** Writes a prompt from the values that its person gave. */
export function writePrompt(
  { canSend }: Pick<Identity, 'canSend'>,
  name: string,
  values: Values,
): WrittenPrompt {
  const prompt = prompts.find(({ listed }) => listed.name === name)
  if (!prompt) {
    const expected = promptsOf({ canSend }).map((one) => one.name)
    const text = `There is no prompt ${JSON.stringify(name.slice(0, 64))}; expected one of ${expected.join(', ')}.`
    return { kind: 'refused', text }
  }
  if (prompt.sends && !canSend) {
    return { kind: 'refused', text: `This connection may only read, and ${name} sends a message.` }
  }
  const { isFit, text } = prompt.write(values)
  return isFit ? { kind: 'written', description: prompt.listed.description, text } : { kind: 'refused', text }
}
