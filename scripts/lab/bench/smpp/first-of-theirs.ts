/** The same with npm's `smpp`. It is connected once, keeps no window, and knows no busy carrier. */
import smpp from 'smpp'

const [port = '2775'] = process.argv.slice(2)
const states: string[] = []
const session = smpp.connect({ host: '127.0.0.1', port: Number(port), auto_enquire_link_period: 30_000 })
session.on('error', (error) => {
  throw error
})
await new Promise<void>((resolve, reject) =>
  session.once('connect', () =>
    session.bind_transceiver({ system_id: 'demo', password: 'secret' }, ({ command_status }) =>
      command_status === 0 ? resolve() : reject(new Error(`the bind was answered with ${command_status}`)),
    ),
  ),
)
session.on('deliver_sm', (pdu) => {
  if (pdu.esm_class & 4) {
    const [, word = ''] = /stat:(\w+)/.exec(String(pdu.short_message.message)) ?? []
    states.push(word === 'DELIVRD' ? 'delivered' : word)
  }
  session.send(pdu.response())
})
const text = 'Hello '.repeat(60)
const parts = text.match(/.{1,153}/gs) ?? []
const reference = Math.floor(Math.random() * 256)
const ids = await Promise.all(
  parts.map(
    (part, index) =>
      new Promise<string>((resolve, reject) =>
        session.submit_sm(
          {
            source_addr: 'WIGWAG',
            source_addr_ton: 5,
            destination_addr: '233241234567',
            dest_addr_ton: 1,
            dest_addr_npi: 1,
            registered_delivery: 1,
            esm_class: 0x40,
            short_message: { udh: Buffer.of(5, 0, 3, reference, parts.length, index + 1), message: part },
          },
          ({ command_status, message_id }) =>
            command_status === 0
              ? resolve(message_id)
              : reject(new Error(`a part was answered with ${command_status}`)),
        ),
      ),
  ),
)
await new Promise<void>((resolve) => session.unbind(resolve))
session.close()
console.log(ids.length, states.join())
