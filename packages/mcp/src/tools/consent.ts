import type { Person, ProgramAnswer, Yes } from '../confirm/index.ts'
import { digestOf } from '../gate/index.ts'
import { type Refusal, sentenceOf } from '../refusal.ts'
import { undone } from './explain.ts'
import type { Outcome } from './outcome.ts'
import type { Arguments, Call, Identity, ToolName } from './tool.ts'

/** A call that may go on, with the person's yes if they were asked; or what it leads to instead. */
type Consent = { kind: 'go on'; yes?: Yes } | Exclude<Outcome, { kind: 'answer' }>

interface CallToConsent {
  tool: ToolName
  input: Arguments
  call: Call
  identity: Identity
  person: Person
}

/**
 * Lets the person decide on a call that writes. They are asked wherever the client can show them a question. The answer
 * comes with a second call, which any process can take; a client that answers without asking is still held by
 * the limits.
 */
export async function consentTo({ tool, input, call, identity, person }: CallToConsent): Promise<Consent> {
  const { asking, gate } = identity
  if (!person.canBeAsked) {
    if (asking.unasked === 'send') return { kind: 'go on' }
    gate.refuse(tool, input)
    return { kind: 'failure', text: cannotAsk(tool, identity) }
  }
  const digest = digestOf(tool, input)
  if (person.answer) {
    const { state, said } = person.answer
    const yes = asking.open(state, digest)
    if (yes === 'forged') {
      gate.refuse(tool, input)
      return { kind: 'wrong state', text: sentenceOf({ outcome: undone(tool), ...WRONG_STATE }) }
    }
    if (yes !== 'stale') {
      if (said === 'accept') return { kind: 'go on', yes }
      gate.refuse(tool, input, said)
      return { kind: 'failure', text: sentenceOf({ outcome: undone(tool), ...NOT_ACCEPTED[said] }) }
    }
  }
  const question = await call.question().catch((error) => {
    gate.refuse(tool, input)
    throw error
  })
  return question ? { kind: 'question', question, state: asking.seal(digest, question) } : { kind: 'go on' }
}

/** A program may answer without showing the question, so none of this is said of the person. */
const NOT_ACCEPTED: Readonly<Record<Exclude<ProgramAnswer, 'accept'> | 'none', Refusal>> = {
  decline: {
    why: 'your program answered the question about it with no, which may have come from the person or not',
    todo: 'do not try again unless the person asks for it',
  },
  cancel: {
    why: 'your program closed the question about it without an answer',
    todo: 'ask the person whether to try again',
  },
  none: {
    why: 'your program failed to ask the person about it',
    todo: 'ask the person to use one that can show a question, or to look at its log',
  },
}
const WRONG_STATE: Refusal = {
  why: 'the requestState is not one that this connection was given',
  todo: 'call again without it',
}

function cannotAsk(tool: ToolName, { portal }: Identity): string {
  return sentenceOf({
    outcome: undone(tool),
    why: 'this connection acts only after the person has said yes, and this program can not show them the question',
    todo: `ask the person to use one that can, or to change this ${portal === undefined ? 'in the settings of the connector' : `at ${portal}`}`,
  })
}
