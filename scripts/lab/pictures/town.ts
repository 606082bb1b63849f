import { setTimeout as pause } from 'node:timers/promises'
import type { PictureSandbox } from './sandbox.ts'

const TEXTS = [
  'Your order 1042 is on its way. Kofi will be with you between 14:00 and 15:00.',
  '481 920 is your Makola Fresh code. It is valid for 10 minutes. Never share it.',
  'Hi Kwame, your table for 4 is booked for Friday 19:30. See you at Azmera!',
  'Your parcel WG-77120 is ready at the Osu pick-up point until Saturday 18:00.',
  'Payment of GHS 184.50 received. Thank you. Receipt MF-20931.',
  'Your driver Esi is 5 minutes away. Car: grey Corolla, GR 2210-24.',
  'Reminder: your appointment at Ridge Clinic is tomorrow at 09:20. Bring your card.',
  '<script>alert("hello")</script> is only text here.',
]
const LONG =
  'Hi Ama, your order 1042 from Makola Fresh is on its way. Kofi (GX 4471-23) will be with you between 14:00 and 15:00. ' +
  'Please have GHS 184.50 ready, or pay by mobile money at the door. You can follow it here: https://makola.example/t/1042'
const UNICODE = 'Maakye Abena! Wo adeɛ no bɛba ɔkyena anɔpa nnɔn nkron. Yɛda wo ase paa.'
const NUMBERS = [
  '233241234567',
  '233278706428',
  '233243163273',
  '233202454286',
  '233505352055',
  '233544072186',
  '2348032774352',
  '233272508641',
]
const SINGLE = '/v1/messages/sms'
const A_DAY_MS = 86_400_000

/** Fills the sandbox with what a shop would send. Returns the tickets that pages of their own are taken of. */
export async function furnish(sandbox: PictureSandbox, receiver: string): Promise<Record<string, string>> {
  const send = async (To: string, Content: string, callback?: string) => {
    const CallbackUrl = callback === undefined ? {} : { CallbackUrl: `${receiver}/${callback}` }
    const { Ticket } = await sandbox.call(SINGLE, {
      From: 'WIGWAG',
      To,
      Content,
      Reference: 'order-1042',
      ...CallbackUrl,
    })
    return String(Ticket)
  }
  for (let index = 0; index < 64; index++) {
    const to = NUMBERS[(index * 5) % NUMBERS.length] ?? ''
    await send(to, TEXTS[(index * 3) % TEXTS.length] ?? '', index % 3 === 0 ? 'hooks/sms' : undefined)
  }
  const failed = await send('233272400001', TEXTS[5] ?? '', 'gone')
  await send('233248400003', TEXTS[6] ?? '', 'gone')
  await send('233502800004', TEXTS[2] ?? '')
  const unicode = await send('233505352055', UNICODE)
  const long = await send('233241234567', LONG, 'fails')
  const pending = await send('233241200005', TEXTS[0] ?? '', 'hooks/sms')
  for (const days of [1, 2, 5]) {
    const SendAt = new Date(Date.now() + days * A_DAY_MS).toISOString()
    await sandbox.call(`${SINGLE}/scheduled`, { From: 'WIGWAG', To: NUMBERS[0], Content: TEXTS[6], SendAt })
  }
  await sandbox.call(SINGLE, { From: 'AZMERA', To: NUMBERS[0], Content: 'Hello' })
  // The first callback that fails is posted again after five seconds.
  await pause(7_000)
  return { failed, unicode, long, pending }
}
