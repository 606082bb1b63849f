/** Sends a long text over SMPP and prints the state of each part. */
import { SmppClient } from '@wigwag/smpp'

const [port = '2775'] = process.argv.slice(2)
const states: string[] = []
const client = new SmppClient({
  host: '127.0.0.1',
  port: Number(port),
  systemId: 'demo',
  password: 'secret',
  onReceipt: ({ state }) => void states.push(state),
})
const { ids } = await client.send({ from: 'WIGWAG', to: '233241234567', text: 'Hello '.repeat(60) })
await client.close()
console.log(ids.length, states.join())
