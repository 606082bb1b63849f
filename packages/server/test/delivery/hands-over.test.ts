import { describe, expect, it, onTestFinished } from 'vitest'
import { encodeMessageResponse } from '../../../smpp/src/codec/encode.ts'
import { COMMAND } from '../../../smpp/src/codec/pdu.ts'
import { STATUS } from '../../../smpp/src/status.ts'
import { rawCarrier } from '../../../smpp/test/peers.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { BULK } from '../support/front.ts'

const WINDOW = 2
const MESSAGES = 6
const LONG = 'A text of five parts. '.repeat(34)

/** Messages to a carrier over SMPP that has got a whole window and answers as the test says. */
async function openBusy(engine: (typeof ENGINES)[number]) {
  const answers: ((status: number) => void)[] = []
  const busy = await rawCarrier((pdu, socket) => {
    if (pdu.kind !== 'submit_sm') return
    const { sequence } = pdu
    answers.push((status) => socket.write(encodeMessageResponse(COMMAND.submitSm, sequence, status)))
  })
  const bench = await openBench({
    database: await aPlace(engine),
    config: {
      pollMs: 10,
      carrier: {
        given: `smpp://demo:secret@127.0.0.1:${busy.port}?window=${WINDOW}&responseMs=45000`,
        folder: '.',
        variables: () => ({}),
      },
    },
  })
  // First: the gateway would wait for its answers on a clock that stands.
  onTestFinished(busy.close)
  const stateOf = async () => (await bench.carriers.reports())[0]?.carriers[0]?.kind
  await eventually('the carrier is connected', async () => {
    bench.pass(10)
    return (await stateOf()) === 'up'
  })
  const Recipients = Array.from({ length: MESSAGES }, (_, index) => ({ To: `2332412${10_000 + index}` }))
  const sent = await bench.call('POST', BULK, {}, { From: 'WIGWAG', Content: LONG, Recipients })
  expect(sent.status).toBe(200)
  await eventually('a window is full', () => answers.length === WINDOW)
  return { bench, answers }
}

/** Messages that a kill of the gateway at this moment would leave uncertain. */
async function handedOver({ database }: Bench): Promise<number> {
  const rows = await database.read(({ run }) =>
    run("SELECT id FROM outbox WHERE kind = 'await' AND submitted_at = 0", []),
  )
  return rows.length
}

describe.each(ENGINES)('a message that waits for its carrier, on %s', (engine) => {
  it('is not handed over while the carrier rests', async () => {
    const { bench, answers } = await openBusy(engine)
    for (const answer of answers) answer(STATUS.throttled)
    await eventually('nothing is handed over', async () => (await handedOver(bench)) === 0)
    expect(answers).toHaveLength(WINDOW)
    expect((await bench.carriers.uncertain(1)).total).toBe(0)
  })

  it('is not handed over for long to a carrier that has stopped answering', async () => {
    const { bench } = await openBusy(engine)
    await eventually('more is handed over than was sent', async () => (await handedOver(bench)) > 1)
    // Bit by bit: the wait of the second message begins when it is given to the link, and that may be later.
    await eventually('only what was sent is handed over', async () => {
      bench.pass(100)
      return (await handedOver(bench)) === 1
    })
  })
})
