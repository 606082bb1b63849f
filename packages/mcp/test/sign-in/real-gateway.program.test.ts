import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../fixtures/message.ts'
import { openRealGateway } from './real-gateway.ts'
import { connectWithToken, startSignInConnector } from './running-connector.ts'
import { describeSignIn } from './suite.ts'

describeSignIn('the gateway', openRealGateway)

describe('a limit that a person has set at the gateway', () => {
  async function open() {
    const gateway = await openRealGateway()
    const { url } = await startSignInConnector(gateway)
    const { connection, token } = await gateway.allow(url, { canSend: true })
    return { gateway, connection, ...(await connectWithToken(url, token)) }
  }

  it('is explained to the model when it is reached, with what is left and who can change it', async () => {
    const { gateway, connection, call } = await open()
    await gateway.limit(connection, { dailyMessages: 1 })
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    const refused = await call('send_sms', { ...MESSAGE, content: 'Once more' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(/1 message.* a day/)
    expect(refused.text).toContain(`or ask the person to raise the limit at ${gateway.issuer}/connections.`)
    await gateway.limit(connection, { dailyMessages: 2 })
    expect((await call('send_sms', { ...MESSAGE, content: 'Once more' })).isError).toBe(false)
  })

  it('applies to recipients, also of scheduled messages', async () => {
    const { gateway, connection, call } = await open()
    await gateway.limit(connection, { recipients: ['23320*'] })
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    for (const [tool, more] of [
      ['send_sms', {}],
      ['schedule_sms', { send_at }],
    ] as const) {
      const { isError, text } = await call(tool, { ...MESSAGE, ...more })
      expect(isError).toBe(true)
      expect(text).toContain(
        'Nothing was sent: this connection may send to 23320*, and not to 233241234567; ask',
      )
    }
    expect((await call('send_sms', { ...MESSAGE, to: '233201234567' })).isError).toBe(false)
  })

  it('does not matter once the account is suspended: the next call is refused', async () => {
    const { gateway, connection, call } = await open()
    expect((await call('get_balance')).isError).toBe(false)
    await gateway.suspend(connection)
    await expect(call('get_balance')).rejects.toMatchObject({ code: 401 })
  })
})
