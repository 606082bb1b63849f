import express from 'express'
import { createCodes, type Parts } from './codes.ts'

export function createApp(parts: Parts) {
  const codes = createCodes(parts)
  const app = express()
  app.use(express.json())
  // Behind a proxy, request.ip is the proxy's until you set 'trust proxy'.
  app.post('/codes', ({ body, ip = '' }, response) => {
    const { status, message } = codes.ask(body, ip)
    response.status(status).json({ message })
  })
  app.post('/codes/check', ({ body, ip = '' }, response) => {
    const { status, message } = codes.check(body, ip)
    response.status(status).json({ message })
  })
  return app
}
