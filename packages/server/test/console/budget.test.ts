import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { FINAL_STATUSES } from '../../src/kernel/message.ts'
import { insertRows } from '../../src/store/rows.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { messageRow } from '../history/message-rows.ts'

const BUDGET = 20_000
const ASSETS = new URL('../../assets/console/', import.meta.url)
const TEXTS = [
  'Hi Ama, your order 1042 from Makola Fresh is on its way. Kofi (GX 4471-23) will be with you between 14:00 and 15:00.',
  '481 920 is your Makola Fresh code. It is valid for 10 minutes. Never share it.',
  'Maakye Abena! Wo adeɛ no bɛba ɔkyena anɔpa nnɔn nkron. Yɛda wo ase paa.',
  'Payment of GHS 184.50 received. Thank you. Receipt MF-20931.',
]

it('the inbox with 60 messages, its style and its script are at most 20 kB on the way', async () => {
  const { resident, gateway, url } = await openWorld()
  const ama = await resident('ama')
  const [wallet] = await gateway.database.read(({ run }) =>
    run<{ id: string }>('SELECT id FROM wallets WHERE account_id = $1', [ama.accountId]),
  )
  const rows = Array.from({ length: 60 }, (_, index) =>
    messageRow(
      { id: wallet?.id ?? '', accountId: ama.accountId },
      {
        createdAt: epochMs(Date.now() - index * 7_321),
        content: `${TEXTS[index % TEXTS.length]} ${index}`,
        recipient: `2332${String(40_000_000 + index * 739_391).padStart(8, '0')}`,
        status: index % 4 === 0 ? (FINAL_STATUSES[index % FINAL_STATUSES.length] ?? 'success') : 'success',
        callbackUrl: index % 3 === 0 ? 'https://receiver.example' : null,
      },
    ),
  )
  await gateway.database.write((tx) => insertRows(tx, tx.t.messages, rows))
  const { text } = await ama.person.visit(`${url}/messages`)
  expect(text.match(/<tr role="row" id="m-/g)).toHaveLength(60)
  const sizes = {
    page: gzipSync(text).length,
    style: gzipSync(await readFile(new URL('style.css', ASSETS))).length,
    script: gzipSync(await readFile(new URL('script.js', ASSETS))).length,
  }
  const total = sizes.page + sizes.style + sizes.script
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(BUDGET)
})
