import type { Person, Yes } from '../confirm/index.ts'
import { digestOf } from '../gate/index.ts'
import { sentenceOf } from '../refusal.ts'
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
    return { kind: 'failure', text: cannotAsk(identity) }
  }
  const digest = digestOf(tool, input)
  if (person.answer) {
    const { state, said } = person.answer
    const yes = asking.open(state, digest)
    if (yes === 'forged') {
      gate.refuse(tool, input)
      return { kind: 'wrong state', text: WRONG_STATE }
    }
    if (yes !== 'stale') {
      if (said === 'yes') return { kind: 'go on', yes }
      gate.refuse(tool, input, 'no')
      return { kind: 'failure', text: said === 'no' ? SAID_NO : SAID_NOTHING }
    }
  }
  const question = await call.question().catch((error) => {
    gate.refuse(tool, input)
    throw error
  })
  return question ? { kind: 'question', question, state: asking.seal(digest, question) } : { kind: 'go on' }
}

const UNDONE = 'Nothing was done'
const SAID_NO = sentenceOf({
  outcome: UNDONE,
  why: 'the person said no',
  todo: 'do not try again unless they ask for it',
})
const SAID_NOTHING = sentenceOf({
  outcome: UNDONE,
  why: 'the person closed the question without an answer',
  todo: 'ask them whether to try again',
})
const WRONG_STATE = sentenceOf({
  outcome: UNDONE,
  why: 'the requestState is not one that this connection was given',
  todo: 'call again without it',
})

function cannotAsk({ portal }: Identity): string {
  return sentenceOf({
    outcome: UNDONE,
    why: 'this connection acts only after the person has said yes, and this program can not show them the question',
    todo: `ask the person to use one that can, or to change this ${portal === undefined ? 'in the settings of the connector' : `at ${portal}`}`,
  })
}
