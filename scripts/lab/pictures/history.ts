import { DatabaseSync } from 'node:sqlite'

const A_DAY_MS = 86_400_000
const DAYS = 45
const NETWORKS = [
  { country: 'GH', network: 'MTN', part: 0.64, price: 42_000 },
  { country: 'GH', network: 'Telecel', part: 0.2, price: 45_000 },
  { country: 'GH', network: 'AT', part: 0.11, price: 48_000 },
  { country: 'NG', network: 'MTN', part: 0.03, price: 48_000 },
  { country: 'KE', network: 'Safaricom', part: 0.02, price: 105_600 },
]

/** Writes the totals of a past month into a sandbox's database, without the messages: no clock goes back. */
export function writePastMonth(file: string): void {
  const database = new DatabaseSync(file)
  try {
    const wallet = database.prepare('SELECT id FROM wallets').get() as { id: string }
    const insert = database.prepare(
      `INSERT INTO hourly_totals (wallet_id, hour, country, network, sent, delivered, failed, spend)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const today = Math.floor(Date.now() / A_DAY_MS) * A_DAY_MS
    for (let ago = 1; ago <= DAYS; ago++) {
      const day = today - ago * A_DAY_MS
      for (const { country, network, part, price } of NETWORKS) {
        const sent = Math.round(messagesOn(day, ago) * part)
        const failed = Math.round(sent * (ago === 13 ? 0.13 : 0.025))
        const delivered = sent - failed
        insert.run(
          wallet.id,
          day + 9 * 3_600_000,
          country,
          network,
          sent,
          delivered,
          failed,
          delivered * price,
        )
      }
    }
  } finally {
    database.close()
  }
}

/** Has the account ask for sender IDs, of which the desk decides. */
export function askForSenders(file: string): void {
  const database = new DatabaseSync(file)
  try {
    const account = database.prepare('SELECT id FROM accounts').get() as { id: string }
    const insert = database.prepare(
      "INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES (?, ?, 'pending', ?)",
    )
    for (const [index, sender] of ['Wigwag', 'MAKOLA', '233241234567'].entries())
      insert.run(account.id, sender, Date.now() - (index + 2) * 3_600_000)
  } finally {
    database.close()
  }
}

/** Fewer at weekends, and once very many. */
function messagesOn(day: number, ago: number): number {
  const weekday = new Date(day).getUTCDay()
  const usual = weekday === 0 ? 190 : weekday === 6 ? 290 : 560
  return ago === 9 ? 1_180 : usual + ((ago * 37) % 90)
}
