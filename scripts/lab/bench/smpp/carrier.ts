/** A carrier that takes everything and sends a receipt for each, in its own process. */
import { startSmsc } from '@wigwag/smpp/testing'

const carrier = await startSmsc()
process.stderr.write(`a carrier over SMPP on 127.0.0.1:${carrier.port}\n`)
process.once('SIGTERM', () => void carrier.close())
