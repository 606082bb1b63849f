/** A carrier that takes everything and sends a receipt for each, in its own process. */
import { startSmsc } from '@wigwag/smpp/testing'

const { port, close } = await startSmsc()
process.stderr.write(`a carrier over SMPP on 127.0.0.1:${port}\n`)
process.once('SIGTERM', close)
