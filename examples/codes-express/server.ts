import { createClient } from '@wigwag/sdk'
import { createApp } from './app.ts'

const { CODE_SECRET: secret = 'only for this example', PORT = '3000' } = process.env
const customers = new Set(['233241234567', '233201234567'])
const app = createApp({ sms: createClient(), isCustomer: (phone) => customers.has(phone), secret })
app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`))
